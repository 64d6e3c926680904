"""The clauses that no entry of the register breaks yet. The list only ever grows shorter."""

LACKING: frozenset[str] = frozenset()
