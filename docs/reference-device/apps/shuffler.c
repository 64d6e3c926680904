#include "shuffler.h"

#include <string.h>

static bool is_stopped(const struct shuffler *shuffler)
{
    return shuffler->device->faults || shuffler->device->door_is_open;
}

static void tell_text(struct shuffler *shuffler, uint8_t code, const char *text)
{
    struct felt_message message = felt_message_of(code);

    felt_put_text(&message, text);
    felt_tell(shuffler->device, &message);
}

static void tell_mode(struct shuffler *shuffler)
{
    struct felt_message message = felt_message_of(FELT_MSG_MODE);

    felt_put_u8(&message, shuffler->mode);
    felt_put_text(&message, shuffler->holds);
    felt_tell(shuffler->device, &message);
}

/* --- What it is told ------------------------------------------------------------ */

/* False if the name is longer than it can know. */
static bool name_of(struct felt_text text, char name[SHUFFLER_NAME + 1])
{
    if (text.length > SHUFFLER_NAME)
        return false;
    memcpy(name, text.bytes, text.length);
    name[text.length] = 0;
    return true;
}

static struct felt_result shuffle(struct shuffler *shuffler, struct felt_fields *fields)
{
    char deck[SHUFFLER_NAME + 1];
    struct felt_text text = felt_take_text(fields);

    if (!felt_all_taken(fields))
        return FELT_WHAT;
    if (!name_of(text, deck))
        return FELT_NO("the deck's name is too long");
    if (shuffler->mode != FELT_MODE_SHUFFLE)
        return FELT_NO("it is not set to shuffle");
    if (is_stopped(shuffler))
        return FELT_NO("something is wrong with it");
    if (shuffler->cycle == FELT_CYCLE_RUNNING && strcmp(deck, shuffler->ordered))
        return FELT_NO("it shuffles another deck");
    if (shuffler->cycle != FELT_CYCLE_RUNNING) {
        /* It may come before the cards do, again, and for another deck: one cycle, when cards lie in it. */
        strcpy(shuffler->ordered, deck);
        shuffler->is_ordered = true;
        shuffler->cycle = FELT_CYCLE_IDLE;
        shuffler->count = SHUFFLER_NOT_COUNTED;
    }
    return FELT_BEGUN;
}

static struct felt_result set_game(struct shuffler *shuffler, struct felt_fields *fields)
{
    struct felt_text text = felt_take_text(fields);

    if (!felt_all_taken(fields))
        return FELT_WHAT;
    if (!name_of(text, shuffler->game))
        return FELT_NO("it has no game of this name");
    tell_text(shuffler, FELT_MSG_GAME, shuffler->game);
    return FELT_DID;
}

/* It has no screen, so show_payouts is one of those that it does not know. */
static struct felt_result command(void *app, uint8_t code, struct felt_fields *fields)
{
    switch (code) {
    case FELT_MSG_SHUFFLE:
        return shuffle(app, fields);
    case FELT_MSG_SET_GAME:
        return set_game(app, fields);
    default:
        return FELT_WHAT;
    }
}

static void report(void *app)
{
    struct shuffler *shuffler = app;
    struct felt_message state = felt_message_of(FELT_MSG_SHUFFLER_STATE);

    felt_put_u8(&state, shuffler->cycle);
    felt_put_u8(&state, shuffler->mode);
    felt_put_text(&state, shuffler->holds);
    felt_put_u8(&state, shuffler->count);
    felt_put_text(&state, shuffler->game);
    felt_tell(shuffler->device, &state);
}

/* A cycle that runs is finished; one that waits for its deck is not begun. */
static void go_safe(void *app)
{
    struct shuffler *shuffler = app;

    if (shuffler->cycle != FELT_CYCLE_RUNNING)
        shuffler->is_ordered = false;
}

/* --- What it does --------------------------------------------------------------- */

void shuffler_tick(struct shuffler *shuffler)
{
    if (!shuffler->is_ordered || shuffler->cycle == FELT_CYCLE_RUNNING || is_stopped(shuffler) ||
        shuffler->mode != FELT_MODE_SHUFFLE || !shuffler->holds[0])
        return;
    strcpy(shuffler->holds, shuffler->ordered);
    shuffler->cycle = FELT_CYCLE_RUNNING;
    tell_text(shuffler, FELT_MSG_CYCLE_STARTED, shuffler->ordered);
    shuffler->machine->shuffle(shuffler->machine->self);
}

/* These cards are the ones that were ordered, or nobody knows whose they are. */
void shuffler_filled(struct shuffler *shuffler)
{
    strcpy(shuffler->holds, shuffler->is_ordered ? shuffler->ordered : "?");
    tell_mode(shuffler);
}

void shuffler_emptied(struct shuffler *shuffler)
{
    shuffler->holds[0] = 0;
    tell_mode(shuffler);
}

void shuffler_cycle_done(struct shuffler *shuffler, uint8_t count)
{
    struct felt_message completed = felt_message_of(FELT_MSG_CYCLE_COMPLETED);

    if (shuffler->cycle != FELT_CYCLE_RUNNING)
        return;
    shuffler->cycle = FELT_CYCLE_COMPLETE;
    shuffler->count = count;
    shuffler->is_ordered = false;
    felt_put_text(&completed, shuffler->ordered);
    felt_put_u8(&completed, count);
    felt_tell(shuffler->device, &completed);
}

void shuffler_cycle_failed(struct shuffler *shuffler, uint8_t nature)
{
    struct felt_message failed = felt_message_of(FELT_MSG_CYCLE_FAILED);

    if (shuffler->cycle != FELT_CYCLE_RUNNING)
        return;
    shuffler->cycle = FELT_MSG_CYCLE_FAILED;
    shuffler->is_ordered = false;
    felt_put_text(&failed, shuffler->ordered);
    felt_put_u8(&failed, nature);
    felt_tell(shuffler->device, &failed);
    if (nature == FELT_NATURE_JAM)
        felt_fault(shuffler->device, FELT_NATURE_JAM, "card stuck in the carousel");
}

void shuffler_set_mode(struct shuffler *shuffler, uint8_t mode)
{
    shuffler->mode = mode;
    tell_mode(shuffler);
}

/* --- Over a loss of power ------------------------------------------------------- */

static void keep(void *app, uint8_t bytes[FELT_APP_ROOM])
{
    const struct shuffler *shuffler = app;

    bytes[0] = shuffler->mode;
    memcpy(bytes + 1, shuffler->game, SHUFFLER_NAME);
}

/* A cycle that the loss of power cut short counts for nothing, and felt orders another. */
void shuffler_restore(struct shuffler *shuffler, const uint8_t kept[FELT_APP_ROOM], bool has_cards)
{
    shuffler->cycle = FELT_CYCLE_IDLE;
    shuffler->mode = kept[0] <= FELT_MODE_OTHER ? kept[0] : FELT_MODE_SHUFFLE;
    shuffler->count = SHUFFLER_NOT_COUNTED;
    memcpy(shuffler->game, kept + 1, SHUFFLER_NAME);
    strcpy(shuffler->holds, has_cards ? "?" : "");
}

void shuffler_kind(struct shuffler *shuffler, struct felt_device_kind *is)
{
    is->kind = FELT_KIND_SHUFFLER;
    is->capabilities = "counts";
    is->app = shuffler;
    is->command = command;
    is->report = report;
    is->go_safe = go_safe;
    is->keep = keep;
}
