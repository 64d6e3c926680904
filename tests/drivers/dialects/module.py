"""An input/output module for the bench: its codec is pymodbus's, and nothing in it is felt's."""

from __future__ import annotations

import pymodbus.pdu.bit_message as bits
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ExceptionResponse, ModbusPDU


class Module:
    def __init__(self, unit: int = 1, *, size: int = 8, echo: bool = False) -> None:
        self.unit = unit
        self.inputs = [False] * size
        self.coils = [False] * size
        self.echo = echo
        self.is_silent = False
        #: Functions that it refuses, each with its reason.
        self.refuses: dict[int, int] = {}
        self.requests: list[ModbusPDU] = []
        self._framer = FramerRTU(DecodePDU(True))

    def restart(self) -> None:
        self.coils = [False] * len(self.coils)

    def __call__(self, frame: bytes, now: float) -> bytes:
        used, request = self._framer.handleFrame(frame, 0, 0)
        assert used == len(frame)
        assert request is not None, frame.hex()
        heard = frame if self.echo else b""
        if self.is_silent or request.dev_id != self.unit:
            return heard
        self.requests.append(request)
        reply = self._reply(request)
        reply.dev_id = self.unit
        return heard + self._framer.buildFrame(reply)

    def _reply(self, request: ModbusPDU) -> ModbusPDU:
        if why := self.refuses.get(request.function_code):
            return ExceptionResponse(request.function_code, why)
        span = slice(request.address, request.address + request.count)
        match request:
            case bits.ReadDiscreteInputsRequest():
                return bits.ReadDiscreteInputsResponse(bits=self.inputs[span])
            case bits.ReadCoilsRequest():
                return bits.ReadCoilsResponse(bits=self.coils[span])
            case bits.WriteMultipleCoilsRequest():
                self.coils[span] = request.bits
                return bits.WriteMultipleCoilsResponse(address=request.address, count=request.count)
        return ExceptionResponse(request.function_code, 1)
