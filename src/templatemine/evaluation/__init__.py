"""How good a cleaner is: measures, gold formats, and five ways to try one.  It knows no system by name."""
