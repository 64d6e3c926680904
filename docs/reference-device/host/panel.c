#include "../apps/panel.h"

#include "host.h"

static struct panel panels[HOST_DEVICES];
static struct panel_machine machines[HOST_DEVICES];
static const char *const lamps[] = {"lock_out", "deal", "warning"};
static const char *const lights[] = {"off", "on", "blink"};

static uint8_t light(void *self, uint8_t lamp, uint8_t shown)
{
    struct host_device *device = self;

    if (panels[device->place].shows[lamp] != shown)
        host_says(device, lamps[lamp], lights[shown]);
    return shown;
}

static void sound(void *self, uint8_t tone) { host_says_number(self, "tone", tone); }

static void prepare(struct host_device *device)
{
    struct panel *panel = &panels[device->place];

    machines[device->place] = (struct panel_machine){device, light, sound};
    panel->device = &device->device;
    panel->machine = &machines[device->place];
    panel_kind(panel, &device->is);
}

static void restore(struct host_device *device, const uint8_t kept[FELT_APP_ROOM])
{
    (void)device;
    (void)kept;
}

static void tick(struct host_device *device, uint32_t now)
{
    (void)device;
    (void)now;
}

static bool act(struct host_device *device, const char *verb, const char *what)
{
    static const char *const verbs[] = {"press", NULL};
    static const char *const buttons[] = {"lock_out", "deal", "void", "floor_key", NULL};
    int button = host_word(what, buttons);

    if (host_word(verb, verbs) < 0 || button < 0)
        return false;
    panel_pressed(&panels[device->place], (uint8_t)button);
    return true;
}

const struct host_kind host_kind = {
    "panel", "reference panel", "press lock_out|deal|void|floor_key", prepare, restore, tick, act,
};
