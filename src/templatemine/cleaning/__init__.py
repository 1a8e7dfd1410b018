"""Texts, pages or records and packs in, the same without templates, and what was removed, out."""

from templatemine.cleaning._records import Cut

__all__ = ["Cut"]
