/* A device of felt: what the maker's program includes.
 *
 * The program gives the core six functions for its hardware (felt_hal), says what device it is
 * (felt_device_kind) and what to do on a command, and calls felt_step as often as it can. Nothing
 * is allocated, nothing is global; all state lies in a struct felt_device. */
#ifndef FELT_H
#define FELT_H

#include "codes.h"
#include "fields.h"
#include "sha256.h"
#include "wire.h"

#define FELT_PROTOCOL 1
#define FELT_KEY 32
#define FELT_NONCE 16
#define FELT_MAX_NAME 24
#define FELT_MAX_CAPABILITIES 48
#define FELT_MAX_EVENTS 64
#define FELT_MAX_RESULTS 16
#define FELT_APP_ROOM 96 /* bytes of the application's own state that are kept without power */
#define FELT_FIRST_WATCHDOG_MS 3000
#define FELT_REPEAT_MS 250

/* The hardware. Only `random` and `write` may take their time, and none may take 20 ms. */
struct felt_hal {
    void *self;
    /* Milliseconds since the start; may run over. */
    uint32_t (*now_ms)(void *self);
    /* Bytes that came in, at most `room`, and at once; 0 if none. */
    size_t (*read)(void *self, uint8_t *into, size_t room);
    /* Sends a whole frame. On a bus the line is let go with the last bit. */
    void (*write)(void *self, const uint8_t *bytes, size_t count);
    /* Nobody may be able to foresee these. */
    void (*random)(void *self, uint8_t *into, size_t count);
    /* Memory that survives a loss of power, in bytes, 0 to FELT_MEMORY_BYTES. False if it failed.
     * What is stored is there when `store` says so. Power may go in the middle of it. */
    bool (*load)(void *self, uint32_t at, void *into, size_t count);
    bool (*store)(void *self, uint32_t at, const void *from, size_t count);
};

/* What became of a command. The detail is a constant of the program: it is kept by its address. */
struct felt_result {
    uint8_t outcome;
    const char *detail;
};
#define FELT_DID ((struct felt_result){FELT_OUTCOME_DONE, ""})
#define FELT_BEGUN ((struct felt_result){FELT_OUTCOME_ACCEPTED, ""})
#define FELT_NO(why) ((struct felt_result){FELT_OUTCOME_REFUSED, why})
#define FELT_WHAT ((struct felt_result){FELT_OUTCOME_UNKNOWN, ""})

/* What this device is, and its own part of the conversation. */
struct felt_device_kind {
    uint8_t kind;
    const char *model, *serial_number, *capabilities;
    uint8_t firmware[FELT_DIGEST];
    uint8_t key[FELT_KEY];
    uint8_t address;
    bool is_polled;
    void *app;
    /* Carries a command of this kind of device out, once. Motion begins later, from the program's loop. */
    struct felt_result (*command)(void *app, uint8_t code, struct felt_fields *fields);
    /* Tells how it stands; the core tells its faults and its door. */
    void (*report)(void *app);
    void (*go_safe)(void *app);
    /* The application's state as bytes, for the memory: at most FELT_APP_ROOM. */
    void (*keep)(void *app, uint8_t bytes[FELT_APP_ROOM]);
};

struct felt_kept_result {
    uint32_t command;
    uint8_t outcome;
    bool is_there, is_lasting;
    const char *detail;
};

struct felt_device {
    const struct felt_hal *hal;
    const struct felt_device_kind *is;

    /* Kept without power: see memory.c. */
    uint32_t boot, generation;
    uint32_t next_event;
    uint8_t first_slot, waiting;
    struct felt_kept_result results[FELT_MAX_RESULTS];
    uint8_t next_result;
    bool memory_failed;

    /* The session. */
    bool was_greeted, in_session;
    uint8_t session;
    uint8_t hello[1 + FELT_NONCE];
    uint8_t nonce[FELT_NONCE];
    uint32_t kept_at_hello;
    uint8_t tag_key[FELT_DIGEST], faces_key[FELT_DIGEST];
    uint32_t last_request;
    uint8_t answer[FELT_MAX_FRAME];
    uint16_t answer_length;

    struct felt_collector collector;
    bool event_is_out;
    uint32_t event_sent_ms;

    /* The watchdog. */
    uint16_t watchdog_ms;
    uint32_t heard_ms;
    bool is_safe;

    /* What lasts, by the numbers of the natures; sensors say it anew at a start. */
    uint16_t faults;
    bool door_is_open;

    /* For whoever looks on. */
    uint32_t packets, strange;
};

/* Starts the device. `kept` gets what the application kept last; false if nothing was. */
bool felt_start(struct felt_device *device, const struct felt_hal *hal, const struct felt_device_kind *is,
                uint8_t kept[FELT_APP_ROOM]);

/* The application stands as it stood: the start is kept, and the device may speak. */
void felt_begin(struct felt_device *device);

/* Reads the line, answers, watches the clock. Call it at least every few milliseconds. */
void felt_step(struct felt_device *device);

/* Something happened: the event and the application's state are kept together. Says its number. */
uint32_t felt_tell(struct felt_device *device, const struct felt_message *message);

/* The application's state has changed, and nothing is to be told. */
void felt_keep(struct felt_device *device);

/* Something is wrong, until somebody has put it right. Told again after each report. */
void felt_fault(struct felt_device *device, uint8_t nature, const char *detail);
void felt_fault_cleared(struct felt_device *device, uint8_t nature);
bool felt_has_fault(const struct felt_device *device, uint8_t nature);
void felt_door(struct felt_device *device, bool is_open);

/* The number that the next event will have. */
static inline uint32_t felt_next_event(const struct felt_device *device) { return device->next_event; }

/* --- Between the parts of the core -------------------------------------------- */

#define FELT_SLOT_BYTES (4 + 1 + FELT_MESSAGE_ROOM + 2)
#define FELT_STATE_BYTES (1 + 4 + 4 + 4 + 1 + 1 + 5 * FELT_MAX_RESULTS + FELT_APP_ROOM + 2)
#define FELT_MEMORY_BYTES (2 * FELT_STATE_BYTES + FELT_MAX_EVENTS * FELT_SLOT_BYTES)

bool felt_memory_start(struct felt_device *device, uint8_t kept[FELT_APP_ROOM]);
void felt_memory_commit(struct felt_device *device);
uint32_t felt_memory_add(struct felt_device *device, const struct felt_message *message);
/* The oldest event that waits. False if none does. */
bool felt_memory_oldest(struct felt_device *device, uint32_t *number, uint8_t *bytes, size_t *length);
/* felt has all events up to this number. */
void felt_memory_forget(struct felt_device *device, uint32_t number);

void felt_report_faults(struct felt_device *device);

void felt_session_received(struct felt_device *device, const struct felt_packet *packet);
void felt_session_send_event(struct felt_device *device);
void felt_session_ask_for_hello(struct felt_device *device);

#endif
