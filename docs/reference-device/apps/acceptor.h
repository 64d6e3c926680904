/* An acceptor: a slot for chips at a seat, with a lock and a lamp. It knows each chip by its number. */
#ifndef FELT_ACCEPTOR_H
#define FELT_ACCEPTOR_H

#include "../core/felt.h"

#define ACCEPTOR_CHIPS 16 /* as many as one `returned` can name */

struct acceptor_machine {
    void *self;
    /* Sets the lock; says whether it is locked, as read back. */
    bool (*lock)(void *self, bool locked);
    /* Sets the lamp; says what it shows, as read back. */
    uint8_t (*light)(void *self, uint8_t lamp);
    /* Lets the chip at this place go, to the player or the dealer; false if it stays. The others
     * move up. */
    bool (*release)(void *self, uint8_t place, uint8_t to);
};

struct acceptor {
    struct felt_device *device;
    const struct acceptor_machine *machine;
    const char *wager; /* which kind it takes; may be empty */
    bool is_locked;
    uint8_t lamp;
    /* The chips in it, first in first, by the numbers of the events that told of them. */
    uint32_t chips[ACCEPTOR_CHIPS];
    uint8_t count;
};

void acceptor_restore(struct acceptor *acceptor, const uint8_t kept[FELT_APP_ROOM]);
void acceptor_kind(struct acceptor *acceptor, struct felt_device_kind *is);

/* From the sensors. */
void acceptor_chip_in(struct acceptor *acceptor, uint64_t cents);
/* The player took the last chip out again, while it was open. */
void acceptor_chip_out(struct acceptor *acceptor);
/* It came when the slot was locked, and the flap gave it back. */
void acceptor_turned_away(struct acceptor *acceptor, uint64_t cents, uint8_t sensed);

#endif
