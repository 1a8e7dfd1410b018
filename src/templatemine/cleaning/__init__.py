"""Texts, pages or records and packs in, the same without templates, and the removed parts, out."""

from templatemine.cleaning._records import TextCleaner

__all__ = ["TextCleaner"]
