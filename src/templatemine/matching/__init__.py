"""The strings of a pack and texts in, the spans where they occur and what is left without them out."""

from templatemine.matching._match import Matcher

__all__ = ["Matcher"]
