"""The whole stack: the daemon on simulated devices, with simulated people, in virtual time."""
