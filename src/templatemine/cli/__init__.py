"""The command line: one file a sub-command, each with ``add`` (its options) and ``run``; `app` puts them together.

Nothing here knows how mining or cleaning work.  Modules of the library, and rich, are imported by the functions that
need them, so that ``--help`` and ``--version`` answer at once.
"""
