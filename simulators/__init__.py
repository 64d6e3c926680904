"""Simulators: the other end of each device's wire."""
