/* A shuffler: shuffles the deck that lies in it, and counts it. */
#ifndef FELT_SHUFFLER_H
#define FELT_SHUFFLER_H

#include "../core/felt.h"

#define SHUFFLER_NAME 24 /* bytes of a deck's or a game's name that it knows */
#define SHUFFLER_NOT_COUNTED 255

struct shuffler_machine {
    void *self;
    /* Begin a cycle; its end is told by shuffler_cycle_done or shuffler_cycle_failed. */
    void (*shuffle)(void *self);
};

struct shuffler {
    struct felt_device *device;
    const struct shuffler_machine *machine;
    uint8_t cycle, mode, count;
    char ordered[SHUFFLER_NAME + 1]; /* the deck that it shuffles, or will when cards lie in it */
    char holds[SHUFFLER_NAME + 1];   /* "?" for cards of which it does not know whose they are */
    char game[SHUFFLER_NAME + 1];
    bool is_ordered;
};

/* Whether cards lie in it its sensor says, at every start. */
void shuffler_restore(struct shuffler *shuffler, const uint8_t kept[FELT_APP_ROOM], bool has_cards);
void shuffler_kind(struct shuffler *shuffler, struct felt_device_kind *is);
void shuffler_tick(struct shuffler *shuffler);

/* From the sensors and the buttons; its door and what is wrong with it are the core's. */
void shuffler_filled(struct shuffler *shuffler);
void shuffler_emptied(struct shuffler *shuffler);
void shuffler_cycle_done(struct shuffler *shuffler, uint8_t count);
void shuffler_cycle_failed(struct shuffler *shuffler, uint8_t nature);
void shuffler_set_mode(struct shuffler *shuffler, uint8_t mode);

#endif
