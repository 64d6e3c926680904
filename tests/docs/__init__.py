"""The pages that are written from the code, and whether they still say what the code does."""
