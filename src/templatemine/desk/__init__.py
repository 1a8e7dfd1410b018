"""A local web application: review of packs, annotation of pages, comparison of systems.

Only its own command imports this package.  It needs starlette, uvicorn and jinja2 (the extra ``desk``).
"""
