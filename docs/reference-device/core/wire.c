#include "wire.h"

/* CRC-16/CCITT-FALSE, bit by bit: a table of 512 bytes would be faster than the line is. */
uint16_t felt_check(const uint8_t *bytes, size_t count)
{
    uint16_t crc = 0xffff;

    while (count--) {
        crc = (uint16_t)(crc ^ *bytes++ << 8);
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

size_t felt_stuff(const uint8_t *block, size_t count, uint8_t frame[FELT_MAX_FRAME])
{
    size_t piece = 0, length = 1; /* where the piece's own length goes, and where the next byte */

    for (size_t i = 0; i < count; i++) {
        if (block[i]) {
            frame[length++] = block[i];
        } else {
            frame[piece] = (uint8_t)(length - piece);
            piece = length++;
        }
    }
    frame[piece] = (uint8_t)(length - piece);
    frame[length++] = 0;
    return length;
}

bool felt_unstuff(uint8_t *bytes, size_t count, size_t *length)
{
    size_t from = 0, to = 0;

    while (from < count) {
        uint8_t code = bytes[from++];
        /* No block is long enough for a piece of 0xFF. */
        if (code == 0 || code == 0xff || (size_t)code - 1 > count - from)
            return false;
        while (--code) {
            if (bytes[from] == 0)
                return false;
            bytes[to++] = bytes[from++];
        }
        if (from < count)
            bytes[to++] = 0;
    }
    *length = to;
    return count > 0;
}

static bool is_kind(uint8_t kind)
{
    return (kind >= FELT_HELLO && kind <= FELT_ACK) || (kind >= FELT_IDENTITY && kind <= FELT_EVENT);
}

bool felt_read_block(const uint8_t *block, size_t count, struct felt_packet *packet)
{
    if (count < FELT_HEAD + FELT_CHECK || !is_kind(block[0]))
        return false;
    bool is_tagged = block[0] != FELT_HELLO && block[0] != FELT_IDENTITY;
    size_t around = FELT_HEAD + FELT_CHECK + (is_tagged ? FELT_TAG : 0);
    if (count < around || count - around > FELT_MAX_PAYLOAD)
        return false;
    uint16_t check = felt_check(block, count - FELT_CHECK);
    if (block[count - 2] != check >> 8 || block[count - 1] != (check & 0xff))
        return false;
    packet->kind = block[0];
    packet->address = block[1];
    packet->session = block[2];
    packet->seq = (uint32_t)block[3] << 24 | (uint32_t)block[4] << 16 | (uint32_t)block[5] << 8 | block[6];
    packet->payload = block + FELT_HEAD;
    packet->length = count - around;
    packet->tag = is_tagged ? packet->payload + packet->length : NULL;
    return true;
}

bool felt_collect(struct felt_collector *collector, uint8_t byte, struct felt_packet *packet)
{
    if (byte) {
        if (collector->count < sizeof collector->bytes)
            collector->bytes[collector->count++] = byte;
        else
            collector->overrun = true;
        return false;
    }
    size_t count = collector->count, length;
    bool is_whole = !collector->overrun;
    collector->count = 0;
    collector->overrun = false;
    return is_whole && felt_unstuff(collector->bytes, count, &length) &&
           felt_read_block(collector->bytes, length, packet);
}
