"""One table's life, as a pure machine: events in, a new table and commands out."""
