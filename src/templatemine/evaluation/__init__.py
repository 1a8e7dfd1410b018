"""Evaluation of cleaners: measures, gold formats and six trials.  The trials know no system by name."""
