#include "fields.h"

#include <string.h>

void felt_store_u32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

uint32_t felt_load_u32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static const uint8_t *take(struct felt_fields *fields, size_t count)
{
    const uint8_t *at = fields->bytes;

    if (fields->is_bad || fields->left < count) {
        fields->is_bad = true;
        return NULL;
    }
    fields->bytes += count;
    fields->left -= count;
    return at;
}

uint8_t felt_take_u8(struct felt_fields *fields)
{
    const uint8_t *at = take(fields, 1);
    return at ? at[0] : 0;
}

uint16_t felt_take_u16(struct felt_fields *fields)
{
    const uint8_t *at = take(fields, 2);
    return (uint16_t)(at ? at[0] << 8 | at[1] : 0);
}

uint32_t felt_take_u32(struct felt_fields *fields)
{
    const uint8_t *at = take(fields, 4);
    return at ? felt_load_u32(at) : 0;
}

uint64_t felt_take_u64(struct felt_fields *fields)
{
    const uint8_t *at = take(fields, 8);
    if (at && at[0] & 0x80)
        fields->is_bad = true; /* at most 2^63 - 1 */
    return at ? (uint64_t)felt_load_u32(at) << 32 | felt_load_u32(at + 4) : 0;
}

uint8_t felt_take_word(struct felt_fields *fields, uint8_t words)
{
    uint8_t word = felt_take_u8(fields);
    if (word >= words)
        fields->is_bad = true;
    return word;
}

static bool is_utf8(const uint8_t *bytes, size_t count)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};

    for (size_t i = 0; i < count;) {
        uint8_t first = bytes[i++];
        unsigned more = first < 0x80 ? 0 : first < 0xc2 ? 4 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 4;
        uint32_t point = more ? first & (0x3fu >> more) : first;
        if (more > 3 || count - i < more)
            return false;
        for (unsigned n = 0; n < more; n++, i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return false;
            point = point << 6 | (bytes[i] & 0x3f);
        }
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
            return false;
    }
    return true;
}

struct felt_text felt_take_text(struct felt_fields *fields)
{
    uint8_t length = felt_take_u8(fields);
    const uint8_t *at = take(fields, length);
    if (!at || length > FELT_MAX_TEXT || !is_utf8(at, length)) {
        fields->is_bad = true;
        return (struct felt_text){NULL, 0};
    }
    return (struct felt_text){at, length};
}

uint8_t felt_take_u8s(struct felt_fields *fields, const uint8_t **numbers)
{
    uint8_t count = felt_take_u8(fields);
    *numbers = take(fields, count);
    if (!*numbers || count > FELT_MAX_U8S) {
        fields->is_bad = true;
        return 0;
    }
    return count;
}

bool felt_all_taken(const struct felt_fields *fields) { return !fields->is_bad && fields->left == 0; }

struct felt_message felt_message_of(uint8_t code)
{
    struct felt_message message = {{0}, 0, false};
    felt_put_u8(&message, code);
    return message;
}

static void put(struct felt_message *message, const void *bytes, size_t count)
{
    if (message->is_full || count > sizeof message->bytes - message->length) {
        message->is_full = true;
        return;
    }
    memcpy(message->bytes + message->length, bytes, count);
    message->length = (uint8_t)(message->length + count);
}

void felt_put_u8(struct felt_message *message, uint8_t value) { put(message, &value, 1); }

void felt_put_u32(struct felt_message *message, uint32_t value)
{
    uint8_t bytes[4];
    felt_store_u32(bytes, value);
    put(message, bytes, sizeof bytes);
}

void felt_put_u64(struct felt_message *message, uint64_t value)
{
    felt_put_u32(message, (uint32_t)(value >> 32));
    felt_put_u32(message, (uint32_t)value);
}

void felt_put_text(struct felt_message *message, const char *text)
{
    felt_put_bytes(message, (const uint8_t *)text, (uint8_t)strlen(text));
}

void felt_put_bytes(struct felt_message *message, const uint8_t *bytes, uint8_t count)
{
    felt_put_u8(message, count);
    put(message, bytes, count);
}
