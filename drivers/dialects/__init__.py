"""Other makers' protocols: felt's drivers on hardware that can be bought today.

A dialect stands where felt's own protocol stands, between the port and the drivers, and gives the
same notices. So a panel made of an input/output module is a panel, and a coin acceptor an acceptor,
to everything above. What such hardware can't do is said, and never made up: docs/hardware.md.
"""
