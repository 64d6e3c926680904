#include "shoe.h"

#include <string.h>

static bool is_stopped(const struct shoe *shoe)
{
    return shoe->device->faults || shoe->device->door_is_open;
}

/* --- What it is told ------------------------------------------------------------ */

/* For a round; or for other stacks in the same one, after those that are out or on their way. */
static struct felt_result arm(struct shoe *shoe, struct felt_fields *fields)
{
    const uint8_t *stacks;
    uint32_t round = felt_take_u32(fields);
    uint8_t count = felt_take_u8s(fields, &stacks);
    uint8_t given = shoe->ordered ? shoe->ordered : shoe->last;

    if (!felt_all_taken(fields))
        return FELT_WHAT;
    if (round != shoe->round && shoe->ordered)
        return FELT_NO("a stack is on its way");
    if (round == shoe->round && (count < given || memcmp(stacks, shoe->stacks, given)))
        return FELT_NO("other stacks of this round are out");
    if (round != shoe->round)
        shoe->last = shoe->last_cards = 0;
    shoe->round = round;
    shoe->stack_count = count;
    memcpy(shoe->stacks, stacks, count);
    felt_keep(shoe->device);
    return FELT_DID;
}

static struct felt_result dispense(struct shoe *shoe, struct felt_fields *fields)
{
    uint32_t round = felt_take_u32(fields);
    uint8_t number = felt_take_u8(fields), cards = felt_take_u8(fields);

    if (!felt_all_taken(fields))
        return FELT_WHAT;
    if (!shoe->round || round != shoe->round)
        return FELT_NO("it is not armed for this round");
    if (shoe->ordered)
        return FELT_NO("a stack is on its way");
    if (number != shoe->last + 1 || number > shoe->stack_count)
        return FELT_NO("this stack is not the next one");
    if (cards != shoe->stacks[number - 1])
        return FELT_NO("this stack has another number of cards");
    if (is_stopped(shoe))
        return FELT_NO("something is wrong with it");
    if (cards > shoe->inside)
        return FELT_NO("it has too few cards");
    /* Only noted: nothing moves before the result is kept and said. */
    shoe->ordered = number;
    shoe->passed = 0;
    return FELT_BEGUN;
}

static struct felt_result stop(struct shoe *shoe)
{
    if (shoe->is_feeding)
        shoe->machine->halt(shoe->machine->self);
    shoe->is_feeding = false;
    shoe->ordered = 0;
    shoe->round = 0;
    shoe->stack_count = shoe->last = shoe->last_cards = 0;
    felt_keep(shoe->device);
    return FELT_DID;
}

static struct felt_result command(void *app, uint8_t code, struct felt_fields *fields)
{
    struct shoe *shoe = app;

    switch (code) {
    case FELT_MSG_ARM:
        return arm(shoe, fields);
    case FELT_MSG_DISPENSE:
        return dispense(shoe, fields);
    case FELT_MSG_STOP:
        return felt_all_taken(fields) ? stop(shoe) : FELT_WHAT;
    default:
        return FELT_WHAT;
    }
}

static void report(void *app)
{
    struct shoe *shoe = app;
    struct felt_message state = felt_message_of(FELT_MSG_SHOE_STATE);

    felt_put_u32(&state, shoe->round);
    felt_put_u8(&state, shoe->last);
    felt_put_u8(&state, shoe->last_cards);
    felt_put_u8(&state, shoe->inside);
    felt_put_u8(&state, shoe->ordered);
    felt_tell(shoe->device, &state);
}

/* A stack that moves is finished; one that has not begun to waits for nothing and nobody. */
static void go_safe(void *app)
{
    struct shoe *shoe = app;

    if (!shoe->is_feeding)
        shoe->ordered = 0;
}

/* --- What it does --------------------------------------------------------------- */

void shoe_tick(struct shoe *shoe)
{
    if (!shoe->ordered || shoe->is_feeding || shoe->in_tray || is_stopped(shoe))
        return;
    shoe->is_feeding = true;
    shoe->machine->feed(shoe->machine->self, shoe->stacks[shoe->ordered - 1]);
}

/* Once for each filling. It does not know decks by name, so it says none. */
void shoe_loaded(struct shoe *shoe, uint8_t count)
{
    struct felt_message loaded = felt_message_of(FELT_MSG_LOADED);

    shoe->inside = count;
    felt_put_text(&loaded, "");
    felt_put_u8(&loaded, count);
    felt_tell(shoe->device, &loaded);
}

/* Kept card by card: what is inside is exact, wherever the power goes. */
void shoe_card_out(struct shoe *shoe, uint8_t face)
{
    if (shoe->inside)
        shoe->inside--;
    if (shoe->passed < sizeof shoe->faces)
        shoe->faces[shoe->passed++] = face;
    felt_keep(shoe->device);
}

void shoe_stack_out(struct shoe *shoe)
{
    struct felt_message dispensed = felt_message_of(FELT_MSG_DISPENSED);

    if (!shoe->ordered)
        return;
    shoe->last = shoe->ordered;
    shoe->last_cards = shoe->passed;
    shoe->in_tray = shoe->ordered;
    shoe->ordered = 0;
    shoe->is_feeding = false;
    felt_put_u32(&dispensed, shoe->round);
    felt_put_u8(&dispensed, shoe->last);
    felt_put_u8(&dispensed, shoe->last_cards);
    felt_put_bytes(&dispensed, shoe->faces, shoe->reads ? shoe->passed : 0);
    felt_tell(shoe->device, &dispensed);
    if (!shoe->inside) {
        struct felt_message empty = felt_message_of(FELT_MSG_EMPTY);
        felt_tell(shoe->device, &empty);
    } else if (shoe->last == shoe->stack_count) {
        struct felt_message stub = felt_message_of(FELT_MSG_STUB);
        felt_put_u8(&stub, shoe->inside);
        felt_tell(shoe->device, &stub);
    }
}

void shoe_stack_taken(struct shoe *shoe)
{
    struct felt_message taken = felt_message_of(FELT_MSG_TAKEN);

    if (!shoe->in_tray)
        return;
    felt_put_u8(&taken, shoe->in_tray);
    shoe->in_tray = 0;
    felt_tell(shoe->device, &taken);
}

void shoe_jammed(struct shoe *shoe)
{
    if (shoe->is_feeding)
        shoe->machine->halt(shoe->machine->self);
    shoe->is_feeding = false;
    shoe->ordered = 0;
    felt_fault(shoe->device, FELT_NATURE_JAM, "card stuck at the exit");
}

/* --- Over a loss of power ------------------------------------------------------- */

static void keep(void *app, uint8_t bytes[FELT_APP_ROOM])
{
    const struct shoe *shoe = app;

    felt_store_u32(bytes, shoe->round);
    bytes[4] = shoe->last;
    bytes[5] = shoe->last_cards;
    bytes[6] = shoe->inside;
    bytes[7] = shoe->in_tray;
    bytes[8] = shoe->stack_count;
    memcpy(bytes + 9, shoe->stacks, sizeof shoe->stacks);
}

/* A stack that was on its way is on its way no more. Whether it had begun the cards inside say. */
void shoe_restore(struct shoe *shoe, const uint8_t kept[FELT_APP_ROOM])
{
    shoe->round = felt_load_u32(kept);
    shoe->last = kept[4];
    shoe->last_cards = kept[5];
    shoe->inside = kept[6];
    shoe->in_tray = kept[7];
    shoe->stack_count = kept[8] <= FELT_MAX_U8S ? kept[8] : 0;
    memcpy(shoe->stacks, kept + 9, sizeof shoe->stacks);
}

void shoe_kind(struct shoe *shoe, struct felt_device_kind *is)
{
    is->kind = FELT_KIND_SHOE;
    is->capabilities = shoe->reads ? "counts reads" : "counts";
    is->app = shoe;
    is->command = command;
    is->report = report;
    is->go_safe = go_safe;
    is->keep = keep;
}
