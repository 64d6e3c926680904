"""Quiet stretches of any kind, for tests of how they are written and read."""

from __future__ import annotations

from hypothesis import strategies as st

from drivers.wire.devicelog import Polled

SPANS = st.integers(0, 10**11)
SECONDS = st.sampled_from([0.03, 0.25, 1.0, 0.16875]) | st.floats(0, 10)
polled = st.builds(
    Polled,
    st.integers(1, 250),
    st.integers(1, 2**32 - 1),
    st.integers(1, 10**6),
    SPANS,
    SPANS,
    SPANS,
    SECONDS,
    SECONDS,
)
