"""Page-level systems: pages into blocks, and which blocks are the main text."""
