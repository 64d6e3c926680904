/* The fields of messages: read one after the other, written one after the other. */
#ifndef FELT_FIELDS_H
#define FELT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FELT_MAX_TEXT 80
#define FELT_MAX_U8S 32
#define FELT_MAX_U32S 16

/* Reading. What is not there or can't be makes the whole no message, which felt_all_taken says at the end. */
struct felt_fields {
    const uint8_t *bytes;
    size_t left;
    bool is_bad;
};

struct felt_text {
    const uint8_t *bytes; /* no zero at its end */
    uint8_t length;
};

uint8_t felt_take_u8(struct felt_fields *fields);
uint16_t felt_take_u16(struct felt_fields *fields);
uint32_t felt_take_u32(struct felt_fields *fields);
uint64_t felt_take_u64(struct felt_fields *fields);
/* A word: the number beside it, below `words`. A flag is a word of two. */
uint8_t felt_take_word(struct felt_fields *fields, uint8_t words);
struct felt_text felt_take_text(struct felt_fields *fields);
/* How many; the numbers lie at *numbers. */
uint8_t felt_take_u8s(struct felt_fields *fields, const uint8_t **numbers);
bool felt_all_taken(const struct felt_fields *fields);

/* Writing: a message, from its code on. What finds no room is left out, and is_full says so. */
#define FELT_MESSAGE_ROOM 72 /* the longest that any of our devices sends: sixteen chips returned */
struct felt_message {
    uint8_t bytes[FELT_MESSAGE_ROOM];
    uint8_t length;
    bool is_full;
};

struct felt_message felt_message_of(uint8_t code);
void felt_put_u8(struct felt_message *message, uint8_t value);
void felt_put_u32(struct felt_message *message, uint32_t value);
void felt_put_u64(struct felt_message *message, uint64_t value);
void felt_put_text(struct felt_message *message, const char *text);
void felt_put_bytes(struct felt_message *message, const uint8_t *bytes, uint8_t count);

/* For all that is kept or sent as bytes: the highest first. */
void felt_store_u32(uint8_t *to, uint32_t value);
uint32_t felt_load_u32(const uint8_t *from);

#endif
