"""Devices that were written from docs/protocol.md alone, and the rounds that they play."""
