"""Packs: the result of mining a source, as a record, as a file that people edit, and as a folder of such files."""
