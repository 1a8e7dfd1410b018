"""The command line: one file per sub-command; `app` combines them, and makes the `Terminal` that a run speaks by.

Each has ``DESCRIPTION``, ``COMMON`` (the options that ``--help`` lists), ``add`` (all its options) and ``run``.

This room has no logic of mining or cleaning.  Functions import modules of the library, and rich, when they need them,
so that ``--help`` and ``--version`` are fast.
"""
