"""The parts of `generate.py`: prose (language), templates (boilerplate), articles, HTML pages, a table a script."""
