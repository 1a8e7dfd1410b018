"""Text in, tokens and the expressions of their normalised forms out."""
