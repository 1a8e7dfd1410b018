"""The page-level systems of the literature: the blocks of a page in, a verdict on each out."""
