"""What a technician does with device logs: look, cut, replay, and keep as a test."""
