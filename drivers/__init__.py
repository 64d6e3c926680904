"""Drivers: one for each kind of device, found by the entry point ``felt.drivers``."""
