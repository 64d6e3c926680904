#include "acceptor.h"

#include <string.h>

#define LAMPS 4
#define FROM_BEFORE 0 /* the number of a chip from before this boot */
#define BOOT_AT (4 * ACCEPTOR_CHIPS + 1)

static void tell_u8(struct acceptor *acceptor, uint8_t code, uint8_t value)
{
    struct felt_message message = felt_message_of(code);

    felt_put_u8(&message, value);
    felt_tell(acceptor->device, &message);
}

static void forget_chip(struct acceptor *acceptor, uint8_t place)
{
    acceptor->count--;
    memmove(acceptor->chips + place, acceptor->chips + place + 1,
            (size_t)(acceptor->count - place) * sizeof acceptor->chips[0]);
}

/* Lets chips go, from the first place to the end or just one; says whether all of them went. */
static bool release(struct acceptor *acceptor, uint8_t place, uint8_t count, uint8_t to)
{
    struct felt_message returned = felt_message_of(FELT_MSG_RETURNED);
    uint32_t went[ACCEPTOR_CHIPS];
    uint8_t gone = 0;

    while (gone < count && acceptor->machine->release(acceptor->machine->self, place, to)) {
        went[gone++] = acceptor->chips[place];
        forget_chip(acceptor, place);
    }
    if (gone) {
        felt_put_u8(&returned, gone);
        for (uint8_t i = 0; i < gone; i++)
            felt_put_u32(&returned, went[i]);
        felt_put_u8(&returned, to);
        felt_tell(acceptor->device, &returned);
    }
    return gone == count;
}

/* --- What it is told ------------------------------------------------------------ */

static struct felt_result lock(struct acceptor *acceptor)
{
    acceptor->is_locked = acceptor->machine->lock(acceptor->machine->self, true);
    if (!acceptor->is_locked)
        return FELT_NO("the lock does not close");
    /* All that lies in it rolls to the dealer, who counts it. */
    release(acceptor, 0, acceptor->count, FELT_TO_DEALER);
    return FELT_DID;
}

static struct felt_result unlock(struct acceptor *acceptor)
{
    acceptor->is_locked = acceptor->machine->lock(acceptor->machine->self, false);
    return acceptor->is_locked ? FELT_NO("the lock does not open") : FELT_DID;
}

static void show(struct acceptor *acceptor, uint8_t lamp)
{
    acceptor->lamp = acceptor->machine->light(acceptor->machine->self, lamp);
    tell_u8(acceptor, FELT_MSG_LAMP_READ, acceptor->lamp);
}

static struct felt_result set_lamp(struct acceptor *acceptor, struct felt_fields *fields)
{
    uint8_t lamp = felt_take_word(fields, LAMPS);

    if (!felt_all_taken(fields))
        return FELT_WHAT;
    show(acceptor, lamp);
    return acceptor->lamp == lamp ? FELT_DID : FELT_NO("the lamp does not show it");
}

static struct felt_result give_all_back(struct acceptor *acceptor, struct felt_fields *fields)
{
    felt_take_u64(fields); /* what felt knows of it: for a display */
    if (!felt_all_taken(fields))
        return FELT_WHAT;
    return release(acceptor, 0, acceptor->count, FELT_TO_PLAYER) ? FELT_DID
                                                                 : FELT_NO("it can't be given back");
}

static struct felt_result give_back(struct acceptor *acceptor, struct felt_fields *fields)
{
    uint32_t boot = felt_take_u32(fields), event = felt_take_u32(fields);

    felt_take_u64(fields);
    if (!felt_all_taken(fields))
        return FELT_WHAT;
    if (boot != acceptor->device->boot)
        return FELT_NO("it has restarted since, and does not know which");
    for (uint8_t place = 0; place < acceptor->count; place++)
        if (event && acceptor->chips[place] == event)
            return release(acceptor, place, 1, FELT_TO_PLAYER) ? FELT_DID
                                                               : FELT_NO("it can't be given back");
    return FELT_DID; /* it is not in it any more */
}

static struct felt_result command(void *app, uint8_t code, struct felt_fields *fields)
{
    struct acceptor *acceptor = app;

    switch (code) {
    case FELT_MSG_LOCK:
        return felt_all_taken(fields) ? lock(acceptor) : FELT_WHAT;
    case FELT_MSG_UNLOCK:
        return felt_all_taken(fields) ? unlock(acceptor) : FELT_WHAT;
    case FELT_MSG_SET_LAMP:
        return set_lamp(acceptor, fields);
    case FELT_MSG_RETURN:
        return give_all_back(acceptor, fields);
    case FELT_MSG_GIVE_BACK:
        return give_back(acceptor, fields);
    default:
        return FELT_WHAT;
    }
}

static void report(void *app)
{
    struct acceptor *acceptor = app;

    tell_u8(acceptor, FELT_MSG_LOCK_STATE, acceptor->is_locked);
    tell_u8(acceptor, FELT_MSG_LAMP_READ, acceptor->lamp);
}

/* Locked; what lies in it stays until felt is back and says lock. */
static void go_safe(void *app)
{
    struct acceptor *acceptor = app;

    acceptor->is_locked = acceptor->machine->lock(acceptor->machine->self, true);
}

/* --- What happens --------------------------------------------------------------- */

static struct felt_message wager_of(struct acceptor *acceptor, uint8_t code, uint64_t cents)
{
    struct felt_message message = felt_message_of(code);

    felt_put_text(&message, acceptor->wager);
    felt_put_u64(&message, cents);
    return message;
}

void acceptor_chip_in(struct acceptor *acceptor, uint64_t cents)
{
    if (acceptor->is_locked || acceptor->count == ACCEPTOR_CHIPS) {
        acceptor_turned_away(acceptor, cents, FELT_SENSED_AFTER_THE_LOCK);
        return;
    }
    struct felt_message wager = wager_of(acceptor, FELT_MSG_WAGER, cents);
    felt_put_text(&wager, "chips");
    if (acceptor->lamp != FELT_LAMP_ACCEPTED) /* which is the receipt of the one before */
        show(acceptor, FELT_LAMP_PLACED);
    /* The chip and the event that names it are kept together. */
    acceptor->chips[acceptor->count++] = felt_next_event(acceptor->device);
    felt_tell(acceptor->device, &wager);
}

void acceptor_chip_out(struct acceptor *acceptor)
{
    struct felt_message removed = felt_message_of(FELT_MSG_WAGER_REMOVED);

    if (acceptor->is_locked || !acceptor->count)
        return;
    acceptor->count--;
    felt_put_text(&removed, acceptor->wager);
    felt_tell(acceptor->device, &removed);
}

void acceptor_turned_away(struct acceptor *acceptor, uint64_t cents, uint8_t sensed)
{
    struct felt_message late = wager_of(acceptor, FELT_MSG_LATE_WAGER, cents);

    felt_put_u8(&late, sensed);
    felt_tell(acceptor->device, &late);
}

/* --- Over a loss of power ------------------------------------------------------- */

static void keep(void *app, uint8_t bytes[FELT_APP_ROOM])
{
    const struct acceptor *acceptor = app;

    bytes[0] = acceptor->count;
    for (unsigned i = 0; i < ACCEPTOR_CHIPS; i++)
        felt_store_u32(bytes + 1 + 4 * i, i < acceptor->count ? acceptor->chips[i] : 0);
    felt_store_u32(bytes + BOOT_AT, acceptor->device->boot);
}

void acceptor_restore(struct acceptor *acceptor, const uint8_t kept[FELT_APP_ROOM])
{
    bool is_same_boot = felt_load_u32(kept + BOOT_AT) == acceptor->device->boot;

    acceptor->is_locked = true;
    acceptor->lamp = FELT_LAMP_OFF;
    acceptor->count = kept[0] <= ACCEPTOR_CHIPS ? kept[0] : 0;
    for (unsigned i = 0; i < ACCEPTOR_CHIPS; i++)
        acceptor->chips[i] = is_same_boot ? felt_load_u32(kept + 1 + 4 * i) : FROM_BEFORE;
}

void acceptor_kind(struct acceptor *acceptor, struct felt_device_kind *is)
{
    is->kind = FELT_KIND_ACCEPTOR;
    is->capabilities = "";
    is->app = acceptor;
    is->command = command;
    is->report = report;
    is->go_safe = go_safe;
    is->keep = keep;
}
