"""HTML in, the same as a browser has it after its scripts out."""
