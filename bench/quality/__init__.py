"""How good we are, beside others: contenders, ablations, and a gate that no figure may fall through."""
