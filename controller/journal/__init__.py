"""The durable record of one table: append, recover, recall, verify.

It holds opaque bodies and knows nothing of what they mean. See docs/journal.md.
"""
