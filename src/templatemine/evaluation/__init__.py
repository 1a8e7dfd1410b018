"""Evaluation of cleaners: measures, gold formats and five trials.  The trials know no system by name."""
