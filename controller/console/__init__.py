"""The console: serves the pages, and speaks to tables through their control sockets only.

A process of its own, without journal, keys, seals or devices: whatever goes wrong here, or breaks
in here, reaches neither the round nor a card that nobody has seen.
"""
