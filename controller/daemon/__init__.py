"""The daemon: one asyncio program on the table PC that joins rules, table, journal and wire."""
