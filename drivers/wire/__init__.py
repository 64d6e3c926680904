"""The wire: how felt and a device speak, byte for byte. Both ends use this; see docs/protocol.md.

From the bottom up: ``cobs`` and ``frame`` turn a stream of bytes into checked packets and back;
``messages`` says what can be said, ``fields`` how it is written; ``keys`` proves who speaks;
``station`` is felt's end of the conversation with one device, ``responder`` the device's end.
None of these does any I/O or reads a clock: bytes and time come in, bytes and times go out.
"""
