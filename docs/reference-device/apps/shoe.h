/* A shoe: gives out the cards of a deck in stacks, counts them, and may read them. */
#ifndef FELT_SHOE_H
#define FELT_SHOE_H

#include "../core/felt.h"


/* What the shoe can move. */
struct shoe_machine {
    void *self;
    /* Begin to give out so many cards; each is told by shoe_card_out, the last by shoe_stack_out. */
    void (*feed)(void *self, uint8_t cards);
    /* At once, wherever it is. */
    void (*halt)(void *self);
};

struct shoe {
    struct felt_device *device;
    const struct shoe_machine *machine;
    /* The round that it is armed for, and its stacks. */
    uint32_t round;
    uint8_t stacks[FELT_MAX_U8S], stack_count;
    uint8_t last, last_cards, inside, in_tray;
    uint8_t ordered; /* the stack that is on its way */
    bool is_feeding;
    uint8_t passed, faces[FELT_MAX_U8S]; /* of the stack on its way */
    bool reads;
};

void shoe_restore(struct shoe *shoe, const uint8_t kept[FELT_APP_ROOM]);
void shoe_kind(struct shoe *shoe, struct felt_device_kind *is);
/* From the program's loop: begins what was ordered. */
void shoe_tick(struct shoe *shoe);

/* From the sensors; its door and what is wrong with it are the core's: felt_door, felt_fault_cleared. */
void shoe_loaded(struct shoe *shoe, uint8_t count);
void shoe_card_out(struct shoe *shoe, uint8_t face);
void shoe_stack_out(struct shoe *shoe);
void shoe_stack_taken(struct shoe *shoe);
void shoe_jammed(struct shoe *shoe);

#endif
