"""Quality beside other systems: contenders, ablations, and floors that no figure may fall below."""
