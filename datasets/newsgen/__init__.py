"""The parts of `generate.py`: prose (language), templates (furniture), articles, HTML pages, a table a script."""
