/* What survives a loss of power: the events that felt has not acknowledged, and how the device stood.
 *
 * The state lies in two copies that are written in turn, each with a generation and a check; the one
 * that is whole and newer holds. An event is first written into a free slot and is there when the state
 * that counts it is. So event and state become true in one moment, and a power cut at any byte leaves
 * what was before or what came after. */
#include "felt.h"

#include <string.h>

#define FORMAT 0xf1
#define RESULTS_AT 15
#define APP_AT (RESULTS_AT + 5 * FELT_MAX_RESULTS)
#define CHECK_AT (FELT_STATE_BYTES - 2)
#define NO_RESULT 0xff

static void store_check(uint8_t *bytes, size_t count)
{
    uint16_t check = felt_check(bytes, count);
    bytes[count] = (uint8_t)(check >> 8);
    bytes[count + 1] = (uint8_t)check;
}

static bool check_holds(const uint8_t *bytes, size_t count)
{
    return felt_check(bytes, count) == (bytes[count] << 8 | bytes[count + 1]);
}

static uint32_t slot_at(uint8_t slot)
{
    return (uint32_t)(2 * FELT_STATE_BYTES + slot % FELT_MAX_EVENTS * FELT_SLOT_BYTES);
}

/* The state that holds, and how many bytes of it were ever there: false if no copy is whole. */
static bool load_state(struct felt_device *device, uint8_t state[FELT_STATE_BYTES])
{
    uint8_t other[FELT_STATE_BYTES];
    const struct felt_hal *hal = device->hal;
    bool is_first = hal->load(hal->self, 0, state, FELT_STATE_BYTES) && state[0] == FORMAT &&
                    check_holds(state, CHECK_AT);
    bool is_second = hal->load(hal->self, FELT_STATE_BYTES, other, sizeof other) && other[0] == FORMAT &&
                     check_holds(other, CHECK_AT);
    /* The difference and not the greater: a generation may run over. */
    if (is_second && (!is_first || (int32_t)(felt_load_u32(other + 1) - felt_load_u32(state + 1)) > 0))
        memcpy(state, other, FELT_STATE_BYTES);
    return is_first || is_second;
}

void felt_memory_commit(struct felt_device *device)
{
    uint8_t state[FELT_STATE_BYTES] = {FORMAT};
    const struct felt_hal *hal = device->hal;

    felt_store_u32(state + 1, ++device->generation);
    felt_store_u32(state + 5, device->boot);
    felt_store_u32(state + 9, device->next_event);
    state[13] = device->first_slot;
    state[14] = device->waiting;
    for (unsigned i = 0; i < FELT_MAX_RESULTS; i++) {
        const struct felt_kept_result *result = &device->results[i];
        felt_store_u32(state + RESULTS_AT + 5 * i, result->command);
        state[RESULTS_AT + 5 * i + 4] = result->is_there && result->is_lasting ? result->outcome : NO_RESULT;
    }
    device->is->keep(device->is->app, state + APP_AT);
    store_check(state, CHECK_AT);
    if (!hal->store(hal->self, (uint32_t)(device->generation % 2 * FELT_STATE_BYTES), state, sizeof state))
        device->memory_failed = true;
}

bool felt_memory_start(struct felt_device *device, uint8_t kept[FELT_APP_ROOM])
{
    uint8_t state[FELT_STATE_BYTES];
    bool was_there = load_state(device, state);

    device->next_event = 1;
    memset(kept, 0, FELT_APP_ROOM);
    if (was_there) {
        device->generation = felt_load_u32(state + 1);
        device->boot = felt_load_u32(state + 5);
        device->waiting = state[14];
        memcpy(kept, state + APP_AT, FELT_APP_ROOM);
    }
    if (device->waiting) {
        /* What waits goes on under its boot and its number. felt can't see a restart then and will repeat
         * what it has no answer to: so what must not be done twice is known here still. */
        device->next_event = felt_load_u32(state + 9);
        device->first_slot = state[13];
        for (unsigned i = 0; i < FELT_MAX_RESULTS; i++) {
            const uint8_t *at = state + RESULTS_AT + 5 * i;
            if (at[4] != NO_RESULT)
                device->results[device->next_result++ % FELT_MAX_RESULTS] =
                    (struct felt_kept_result){felt_load_u32(at), at[4], true, true, ""};
        }
        device->next_result %= FELT_MAX_RESULTS;
    } else if (was_there) {
        device->boot++;
    } else {
        /* Nobody knows which boots there were: one that none of them can have been. */
        uint8_t drawn[4];
        device->hal->random(device->hal->self, drawn, sizeof drawn);
        device->boot = felt_load_u32(drawn);
    }
    return was_there;
}

uint32_t felt_memory_add(struct felt_device *device, const struct felt_message *message)
{
    uint8_t slot[FELT_SLOT_BYTES] = {0};
    const struct felt_hal *hal = device->hal;
    uint32_t number = device->next_event++;

    /* The number is used up either way: felt sees by it that something is missing. */
    if (device->waiting < FELT_MAX_EVENTS && !message->is_full) {
        felt_store_u32(slot, number);
        slot[4] = message->length;
        memcpy(slot + 5, message->bytes, message->length);
        store_check(slot, sizeof slot - 2);
        if (hal->store(hal->self, slot_at((uint8_t)(device->first_slot + device->waiting)), slot, sizeof slot))
            device->waiting++;
        else
            device->memory_failed = true;
    }
    felt_memory_commit(device);
    return number;
}

static void drop_oldest(struct felt_device *device)
{
    device->first_slot = (uint8_t)((device->first_slot + 1) % FELT_MAX_EVENTS);
    device->waiting--;
    device->event_is_out = false;
}

bool felt_memory_oldest(struct felt_device *device, uint32_t *number, uint8_t *bytes, size_t *length)
{
    uint8_t slot[FELT_SLOT_BYTES];
    const struct felt_hal *hal = device->hal;

    while (device->waiting) {
        if (hal->load(hal->self, slot_at(device->first_slot), slot, sizeof slot) &&
            check_holds(slot, sizeof slot - 2) && slot[4] <= FELT_MESSAGE_ROOM) {
            *number = felt_load_u32(slot);
            *length = slot[4];
            memcpy(bytes, slot + 5, slot[4]);
            return true;
        }
        /* The memory has lost it. felt sees the gap and stops the table, which is right. */
        device->memory_failed = true;
        drop_oldest(device);
    }
    return false;
}

void felt_memory_forget(struct felt_device *device, uint32_t acknowledged)
{
    uint32_t number;
    uint8_t bytes[FELT_MESSAGE_ROOM];
    size_t length;
    bool has_changed = false;

    while (felt_memory_oldest(device, &number, bytes, &length) && number <= acknowledged) {
        drop_oldest(device);
        has_changed = true;
    }
    if (has_changed)
        felt_memory_commit(device);
}
