"""``felt certify``: a maker's device held against docs/protocol.md, sentence by sentence."""
