"""felt: the controller of a casino card table."""

__version__ = "0.1.0"
