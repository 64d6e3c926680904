/* The dealer's panel: buttons, a key switch, lamps that are read back, a tone. */
#ifndef FELT_PANEL_H
#define FELT_PANEL_H

#include "../core/felt.h"

#define PANEL_LAMPS 3 /* lock-out, deal, warning */

struct panel_machine {
    void *self;
    /* Sets a lamp; says what it really shows. */
    uint8_t (*light)(void *self, uint8_t lamp, uint8_t light);
    void (*sound)(void *self, uint8_t tone);
};

struct panel {
    struct felt_device *device;
    const struct panel_machine *machine;
    uint8_t shows[PANEL_LAMPS];
};

void panel_kind(struct panel *panel, struct felt_device_kind *is);
/* At the press, once. */
void panel_pressed(struct panel *panel, uint8_t button);

#endif
