"""Coverage-guided fuzzing of all that reads what comes from outside: ``make fuzz``."""
