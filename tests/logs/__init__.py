"""Golden logs: play that was recorded once, and must replay identically from then on."""
