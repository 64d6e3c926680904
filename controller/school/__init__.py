"""Drills on a simulated table for a trainee dealer; what was right is what the table took."""
