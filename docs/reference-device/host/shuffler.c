#include "../apps/shuffler.h"

#include <stdio.h>

#include "host.h"

#define CYCLE_MS 500
#define DECK 52

struct carousel {
    bool is_running, will_jam;
    uint32_t began_ms;
    uint8_t cards;
};

static struct shuffler shufflers[HOST_DEVICES];
static struct shuffler_machine machines[HOST_DEVICES];
static struct carousel carousels[HOST_DEVICES];

static void shuffle(void *self)
{
    struct host_device *device = self;
    struct carousel *carousel = &carousels[device->place];

    carousel->is_running = true;
    carousel->began_ms = host_now();
    host_says_number(device, "shuffles", carousel->cards);
}

static void prepare(struct host_device *device)
{
    struct shuffler *shuffler = &shufflers[device->place];

    machines[device->place] = (struct shuffler_machine){device, shuffle};
    shuffler->device = &device->device;
    shuffler->machine = &machines[device->place];
    carousels[device->place].cards = DECK;
    shuffler_kind(shuffler, &device->is);
}

static void restore(struct host_device *device, const uint8_t kept[FELT_APP_ROOM])
{
    /* What lies in it is a matter of the bench, and no bench remembers. */
    shuffler_restore(&shufflers[device->place], kept, false);
}

static void tick(struct host_device *device, uint32_t now)
{
    struct shuffler *shuffler = &shufflers[device->place];
    struct carousel *carousel = &carousels[device->place];

    shuffler_tick(shuffler);
    if (!carousel->is_running || now - carousel->began_ms < CYCLE_MS)
        return;
    carousel->is_running = false;
    if (carousel->will_jam)
        shuffler_cycle_failed(shuffler, FELT_NATURE_JAM);
    else
        shuffler_cycle_done(shuffler, carousel->cards);
    carousel->will_jam = false;
}

static bool act(struct host_device *device, const char *verb, const char *what)
{
    static const char *const verbs[] = {"put", "take", "mode", "fault", NULL};
    static const char *const modes[] = {"shuffle", "sort", "other", NULL};
    struct shuffler *shuffler = &shufflers[device->place];
    struct carousel *carousel = &carousels[device->place];
    long long cards = host_number(what);

    switch (host_word(verb, verbs)) {
    case 0:
        carousel->cards = cards < 0 || cards > 254 ? DECK : (uint8_t)cards;
        shuffler_filled(shuffler);
        return true;
    case 1:
        shuffler_emptied(shuffler);
        return true;
    case 2:
        if (host_word(what, modes) < 0)
            return false;
        shuffler_set_mode(shuffler, (uint8_t)host_word(what, modes));
        return true;
    case 3:
        carousel->will_jam = true;
        return true;
    default:
        return false;
    }
}

const struct host_kind host_kind = {
    "shuffler", "reference shuffler", "put [CARDS], take, mode shuffle|sort|other, fault jam",
    prepare, restore, tick, act,
};
