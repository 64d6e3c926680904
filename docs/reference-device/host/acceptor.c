#include "../apps/acceptor.h"

#include "host.h"

static struct acceptor acceptors[HOST_DEVICES];
static struct acceptor_machine machines[HOST_DEVICES];
static const char *const lamps[] = {"off", "invite", "placed", "accepted"};
static const char *const sides[] = {"player", "dealer"};

static bool lock(void *self, bool locked)
{
    struct host_device *device = self;

    if (acceptors[device->place].is_locked != locked)
        host_says(device, "lock", locked ? "closed" : "open");
    return locked;
}

static uint8_t light(void *self, uint8_t lamp)
{
    host_says(self, "lamp", lamps[lamp]);
    return lamp;
}

static bool release(void *self, uint8_t place, uint8_t to)
{
    (void)place;
    host_says(self, "chip to the", sides[to]);
    return true;
}

static void prepare(struct host_device *device)
{
    struct acceptor *acceptor = &acceptors[device->place];

    machines[device->place] = (struct acceptor_machine){device, lock, light, release};
    acceptor->device = &device->device;
    acceptor->machine = &machines[device->place];
    acceptor->wager = "";
    acceptor_kind(acceptor, &device->is);
}

static void restore(struct host_device *device, const uint8_t kept[FELT_APP_ROOM])
{
    acceptor_restore(&acceptors[device->place], kept);
}

static void tick(struct host_device *device, uint32_t now)
{
    (void)device;
    (void)now;
}

static bool act(struct host_device *device, const char *verb, const char *what)
{
    static const char *const verbs[] = {"wager", "take_back", NULL};
    struct acceptor *acceptor = &acceptors[device->place];
    long long cents = host_number(what);

    switch (host_word(verb, verbs)) {
    case 0:
        if (cents < 0)
            return false;
        acceptor_chip_in(acceptor, (uint64_t)cents);
        return true;
    case 1:
        acceptor_chip_out(acceptor);
        return true;
    default:
        return false;
    }
}

const struct host_kind host_kind = {
    "acceptor", "reference acceptor", "wager CENTS, take_back", prepare, restore, tick, act,
};
