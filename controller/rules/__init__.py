"""What the regulations say, and nothing else: no clock, no I/O, no randomness.

Everything here is a function of its arguments, so that a dispute, a test lab and
the running table all get the same answer from the same code.
"""
