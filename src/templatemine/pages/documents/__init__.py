"""Main text with its structure: Markdown, TEI and data."""
