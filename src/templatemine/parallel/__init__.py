"""Batches of work in, their results out in the same order, from threads or processes."""
