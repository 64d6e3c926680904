"""Mutants: felt with one thing changed on purpose, which some test has to notice.

``make mutants`` changes every figure of the rulebooks (``figures``) and operators, constants and
conditions of the rules' code (``code``), one at a time, and lists those that no test noticed.
What survives is explained in docs/mutants.md.
"""
