"""What a test lab and a hostile insider try, on the real stack of this machine: ``make attack``."""
