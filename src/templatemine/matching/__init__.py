"""The strings of a pack and texts in, the spans where they occur and the rest of the texts out."""

from templatemine.matching._automaton import Matcher

__all__ = ["Matcher"]
