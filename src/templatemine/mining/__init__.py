"""The documents of a source in, candidates with their features and the templates among them out."""
