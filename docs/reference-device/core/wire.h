/* Frames of a serial line: stuffing, check, and the parts of a block. No state but the collector's. */
#ifndef FELT_WIRE_H
#define FELT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FELT_MAX_PAYLOAD 200
#define FELT_HEAD 7 /* kind, address, session, seq */
#define FELT_TAG 8
#define FELT_CHECK 2
#define FELT_MAX_BLOCK (FELT_HEAD + FELT_MAX_PAYLOAD + FELT_TAG + FELT_CHECK)
#define FELT_MAX_FRAME (FELT_MAX_BLOCK + 2)

enum felt_kind {
    FELT_HELLO = 0x01,
    FELT_COMMAND = 0x02,
    FELT_POLL = 0x03,
    FELT_ACK = 0x04,
    FELT_IDENTITY = 0x81,
    FELT_RESULT = 0x82,
    FELT_IDLE = 0x83,
    FELT_EVENT = 0x84,
};

/* A packet in a block; it points into the block. */
struct felt_packet {
    uint8_t kind, address, session;
    uint32_t seq;
    const uint8_t *payload;
    size_t length; /* of the payload */
    const uint8_t *tag; /* null for hello and identity */
};

uint16_t felt_check(const uint8_t *bytes, size_t count);

/* Stuffs a block of at most FELT_MAX_BLOCK bytes into a frame; says the frame's length, its zero included. */
size_t felt_stuff(const uint8_t *block, size_t count, uint8_t frame[FELT_MAX_FRAME]);

/* Undoes the stuffing of a frame without its zero, in its place; false if it is none. */
bool felt_unstuff(uint8_t *bytes, size_t count, size_t *length);

/* Whether the block is a packet: its length, check and kind. */
bool felt_read_block(const uint8_t *block, size_t count, struct felt_packet *packet);

/* Collects bytes up to a zero. */
struct felt_collector {
    uint8_t bytes[FELT_MAX_FRAME];
    uint16_t count;
    bool overrun; /* more than the longest frame: all is dropped up to the next zero */
};

/* True when this byte ended a packet, which lies in the collector until the next byte is taken. */
bool felt_collect(struct felt_collector *collector, uint8_t byte, struct felt_packet *packet);

#endif
