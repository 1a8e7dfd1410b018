"""A local web application for people who decide what goes: review of packs, annotation of pages, comparison of systems.

Nothing imports this package but its own command.  It needs starlette, uvicorn and jinja2 (the extra ``desk``).
"""
