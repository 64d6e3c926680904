"""A whole table without hardware: the daemon on simulators, with people who play at it."""
