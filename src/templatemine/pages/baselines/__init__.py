"""The page-level systems of the literature: the blocks of a page in, a decision on each out."""
