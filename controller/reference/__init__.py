"""The reference of the table file: every key, drawn from the models that read it.

What a key may be and what it is if left out, the models know. What it means, and an example, is
said in ``meanings``; a test fails for a key of a model that has none.
"""
