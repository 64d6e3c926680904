#include "panel.h"

#define LIGHTS 3 /* off, on, blink */
#define TONES 4
#define DEAL_LAMP 1

static void tell_lights(struct panel *panel)
{
    struct felt_message read = felt_message_of(FELT_MSG_LIGHTS_READ);

    for (unsigned i = 0; i < PANEL_LAMPS; i++)
        felt_put_u8(&read, panel->shows[i]);
    felt_tell(panel->device, &read);
}

static struct felt_result lights(struct panel *panel, struct felt_fields *fields)
{
    uint8_t wanted[PANEL_LAMPS];
    bool are_right = true;

    for (unsigned i = 0; i < PANEL_LAMPS; i++)
        wanted[i] = felt_take_word(fields, LIGHTS);
    if (!felt_all_taken(fields))
        return FELT_WHAT;
    for (uint8_t i = 0; i < PANEL_LAMPS; i++) {
        panel->shows[i] = panel->machine->light(panel->machine->self, i, wanted[i]);
        are_right = are_right && panel->shows[i] == wanted[i];
    }
    tell_lights(panel);
    return are_right ? FELT_DID : FELT_NO("a lamp does not show what it should");
}

static struct felt_result command(void *app, uint8_t code, struct felt_fields *fields)
{
    struct panel *panel = app;

    if (code == FELT_MSG_LIGHTS)
        return lights(panel, fields);
    if (code != FELT_MSG_TONE)
        return FELT_WHAT;
    uint8_t tone = felt_take_word(fields, TONES);
    if (!felt_all_taken(fields))
        return FELT_WHAT;
    panel->machine->sound(panel->machine->self, tone);
    return FELT_DID;
}

static void report(void *app) { tell_lights(app); }

/* A deal lamp that is lit is a promise, and there is nobody to keep it. */
static void go_safe(void *app)
{
    struct panel *panel = app;

    panel->shows[DEAL_LAMP] = panel->machine->light(panel->machine->self, DEAL_LAMP, FELT_LIGHT_OFF);
}

void panel_pressed(struct panel *panel, uint8_t button)
{
    struct felt_message pressed = felt_message_of(FELT_MSG_PRESSED);

    felt_put_u8(&pressed, button);
    felt_tell(panel->device, &pressed);
}

/* Its lamps are dark after a start, and that is all that there is to know. */
static void keep(void *app, uint8_t bytes[FELT_APP_ROOM])
{
    (void)app;
    (void)bytes;
}

void panel_kind(struct panel *panel, struct felt_device_kind *is)
{
    is->kind = FELT_KIND_PANEL;
    is->capabilities = "";
    is->app = panel;
    is->command = command;
    is->report = report;
    is->go_safe = go_safe;
    is->keep = keep;
}
