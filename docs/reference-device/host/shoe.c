#include "../apps/shoe.h"

#include <string.h>

#include "host.h"

#define CARD_MS 40
#define DECK 52

/* The motor that gives out cards, and the cards: in the order of the factory, as nobody shuffles them here. */
struct motor {
    uint8_t to_go, next_face;
    uint32_t moved_ms;
    bool will_jam;
};

static struct shoe shoes[HOST_DEVICES];
static struct shoe_machine machines[HOST_DEVICES];
static struct motor motors[HOST_DEVICES];

static void feed(void *self, uint8_t cards)
{
    struct host_device *device = self;

    motors[device->place].to_go = cards;
    motors[device->place].moved_ms = host_now();
    host_says_number(device, "feeds", cards);
}

static void halt(void *self)
{
    struct host_device *device = self;

    motors[device->place].to_go = 0;
    host_says(device, "halts", "");
}

static void prepare(struct host_device *device)
{
    struct shoe *shoe = &shoes[device->place];

    machines[device->place] = (struct shoe_machine){device, feed, halt};
    shoe->device = &device->device;
    shoe->machine = &machines[device->place];
    shoe_kind(shoe, &device->is);
}

static void restore(struct host_device *device, const uint8_t kept[FELT_APP_ROOM])
{
    shoe_restore(&shoes[device->place], kept);
}

static void tick(struct host_device *device, uint32_t now)
{
    struct shoe *shoe = &shoes[device->place];
    struct motor *motor = &motors[device->place];

    shoe_tick(shoe);
    if (!motor->to_go || now - motor->moved_ms < CARD_MS)
        return;
    motor->moved_ms = now;
    if (motor->will_jam && shoe->passed) {
        motor->will_jam = false;
        shoe_jammed(shoe);
        return;
    }
    motor->to_go--;
    shoe_card_out(shoe, motor->next_face++ % DECK);
    if (!motor->to_go) {
        shoe_stack_out(shoe);
        host_says_number(device, "stack", shoe->last);
    }
}

static bool act(struct host_device *device, const char *verb, const char *what)
{
    static const char *const verbs[] = {"load", "take", "fault", "stub", NULL};
    struct shoe *shoe = &shoes[device->place];
    long long cards = host_number(what);

    switch (host_word(verb, verbs)) {
    case 0:
        motors[device->place].next_face = 0;
        shoe_loaded(shoe, cards < 0 || cards > 254 ? DECK : (uint8_t)cards);
        return true;
    case 1:
        shoe_stack_taken(shoe);
        return true;
    case 2:
        motors[device->place].will_jam = true;
        return true;
    case 3:
        shoe->inside = 0;
        felt_keep(shoe->device);
        return true;
    default:
        return false;
    }
}

const struct host_kind host_kind = {
    "shoe", "reference shoe", "load [CARDS], take, stub, fault jam", prepare, restore, tick, act,
};
