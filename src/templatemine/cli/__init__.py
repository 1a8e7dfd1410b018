"""The command line: one file per sub-command, each with ``add`` (its options) and ``run``; `app` combines them, and
makes the `Terminal` that a run speaks by, and that ends it.

This room has no logic of mining or cleaning.  Functions import modules of the library, and rich, when they need them,
so that ``--help`` and ``--version`` are fast.
"""
