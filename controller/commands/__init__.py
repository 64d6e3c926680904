"""The commands of ``felt``, one module each, imported only when they are asked for."""
