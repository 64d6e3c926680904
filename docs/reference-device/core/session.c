/* The conversation: the handshake, requests and their answers, events, the watchdog. */
#include "felt.h"

#include <string.h>

#define PROOF 16
#define FACES_AT 8 /* in a dispensed: code, round, number, cards, how many faces */
#define CAPABILITIES_ROOM (FELT_MAX_CAPABILITIES + 1)

/* --- Sending -------------------------------------------------------------------- */

static size_t frame_of(struct felt_device *device, uint8_t frame[FELT_MAX_FRAME], uint8_t kind, uint8_t session,
                       uint32_t seq, const uint8_t *payload, size_t length)
{
    uint8_t block[FELT_MAX_BLOCK];
    uint8_t digest[FELT_DIGEST];
    size_t count = FELT_HEAD;

    block[0] = kind;
    block[1] = device->is->address;
    block[2] = session;
    felt_store_u32(block + 3, seq);
    if (length)
        memcpy(block + count, payload, length);
    count += length;
    if (kind != FELT_IDENTITY) {
        struct felt_hmac hmac;
        felt_hmac_begin(&hmac, device->tag_key, sizeof device->tag_key);
        felt_hmac_add(&hmac, block, count);
        felt_hmac_end(&hmac, digest);
        memcpy(block + count, digest, FELT_TAG);
        count += FELT_TAG;
    }
    uint16_t check = felt_check(block, count);
    block[count++] = (uint8_t)(check >> 8);
    block[count++] = (uint8_t)check;
    return felt_stuff(block, count, frame);
}

static void send(struct felt_device *device, const uint8_t *frame, size_t length)
{
    device->hal->write(device->hal->self, frame, length);
}

/* Keeps the answer to a request, for when it comes again, and sends it. */
static void answer(struct felt_device *device, uint8_t kind, uint32_t seq, const uint8_t *payload, size_t length)
{
    device->answer_length = (uint16_t)frame_of(device, device->answer, kind, device->session, seq, payload, length);
    send(device, device->answer, device->answer_length);
}

/* --- The handshake -------------------------------------------------------------- */

static uint8_t *put_text(uint8_t *at, const char *text, size_t most)
{
    size_t length = strlen(text);

    if (length > most)
        length = most;
    *at++ = (uint8_t)length;
    memcpy(at, text, length);
    return at + length;
}

/* The capabilities, and `kept:N` if events wait. */
static void capabilities_of(const struct felt_device *device, char into[CAPABILITIES_ROOM])
{
    char number[11] = {0};
    size_t length = strlen(device->is->capabilities), digits = sizeof number - 1;
    uint32_t kept = device->kept_at_hello;

    memcpy(into, device->is->capabilities, length + 1);
    if (!kept)
        return;
    for (; kept; kept /= 10)
        number[--digits] = (char)('0' + kept % 10);
    if (length)
        into[length++] = ' ';
    memcpy(into + length, "kept:", 5);
    memcpy(into + length + 5, number + digits, sizeof number - digits);
}

static void make_key(const struct felt_device *device, const char *label, uint8_t key[FELT_DIGEST])
{
    struct felt_hmac hmac;

    felt_hmac_begin(&hmac, device->is->key, FELT_KEY);
    felt_hmac_add(&hmac, label, strlen(label));
    felt_hmac_add(&hmac, device->hello + 1, FELT_NONCE);
    felt_hmac_add(&hmac, device->nonce, FELT_NONCE);
    felt_hmac_end(&hmac, key);
}

static void send_identity(struct felt_device *device)
{
    uint8_t payload[FELT_MAX_PAYLOAD], digest[FELT_DIGEST], frame[FELT_MAX_FRAME];
    char capabilities[CAPABILITIES_ROOM];
    struct felt_hmac hmac;
    uint8_t *at = payload;

    *at++ = FELT_PROTOCOL;
    *at++ = device->is->kind;
    at = put_text(at, device->is->model, FELT_MAX_NAME);
    at = put_text(at, device->is->serial_number, FELT_MAX_NAME);
    memcpy(at, device->is->firmware, FELT_DIGEST);
    at += FELT_DIGEST;
    felt_store_u32(at, device->boot);
    capabilities_of(device, capabilities);
    at = put_text(at + 4, capabilities, FELT_MAX_CAPABILITIES);
    memcpy(at, device->nonce, FELT_NONCE);
    at += FELT_NONCE;
    felt_hmac_begin(&hmac, device->is->key, FELT_KEY);
    felt_hmac_add(&hmac, "felt identity", 13);
    felt_hmac_add(&hmac, device->hello + 1, FELT_NONCE);
    felt_hmac_add(&hmac, payload, (size_t)(at - payload));
    felt_hmac_end(&hmac, digest);
    memcpy(at, digest, PROOF);
    at += PROOF;
    send(device, frame,
         frame_of(device, frame, FELT_IDENTITY, device->session, 0, payload, (size_t)(at - payload)));
}

static void received_hello(struct felt_device *device, const struct felt_packet *packet)
{
    if (packet->length != sizeof device->hello || packet->seq != 0)
        return;
    bool is_again = device->was_greeted && packet->session == device->session &&
                    memcmp(packet->payload, device->hello, sizeof device->hello) == 0;
    if (!is_again) {
        memcpy(device->hello, packet->payload, sizeof device->hello);
        device->session = packet->session;
        device->hal->random(device->hal->self, device->nonce, FELT_NONCE);
        device->kept_at_hello = device->waiting ? device->next_event - 1 : 0;
        device->last_request = 0;
        device->answer_length = 0;
        device->event_is_out = false;
        device->was_greeted = true;
        device->in_session = device->hello[0] == FELT_PROTOCOL;
        make_key(device, "felt tag", device->tag_key);
        make_key(device, "felt faces", device->faces_key);
    }
    send_identity(device);
}

void felt_session_ask_for_hello(struct felt_device *device)
{
    uint8_t frame[FELT_MAX_FRAME];

    send(device, frame, frame_of(device, frame, FELT_IDENTITY, 0, 0, NULL, 0));
}

/* --- Requests ------------------------------------------------------------------- */

static void go_safe(struct felt_device *device)
{
    device->is_safe = true;
    device->is->go_safe(device->is->app);
    felt_memory_commit(device);
}

/* What would harm if it were done twice: its result is known over a loss of power. */
static bool is_lasting(uint8_t code)
{
    return code == FELT_MSG_SHUFFLE || code == FELT_MSG_DISPENSE || code == FELT_MSG_RETURN || code == FELT_MSG_GIVE_BACK;
}

/* What leaves the safe state as it is. */
static bool is_at_rest(uint8_t code)
{
    return code == FELT_MSG_LOCK || code == FELT_MSG_STOP || code == FELT_MSG_RETURN || code == FELT_MSG_GIVE_BACK;
}

static struct felt_result carry_out(struct felt_device *device, uint8_t code, struct felt_fields *fields)
{
    switch (code) {
    case FELT_MSG_REPORT:
        if (!felt_all_taken(fields))
            return FELT_WHAT;
        device->is->report(device->is->app);
        felt_report_faults(device);
        return FELT_DID;
    case FELT_MSG_SET_WATCHDOG: {
        uint16_t milliseconds = felt_take_u16(fields);
        if (!felt_all_taken(fields))
            return FELT_WHAT;
        device->watchdog_ms = milliseconds;
        return FELT_DID;
    }
    case FELT_MSG_QUIESCE:
        if (!felt_all_taken(fields))
            return FELT_WHAT;
        go_safe(device);
        return FELT_DID;
    default:
        break;
    }
    /* Before the application looks: what it tells or does by this command is no longer at rest. */
    bool was_safe = device->is_safe;
    if (!is_at_rest(code))
        device->is_safe = false;
    struct felt_result result = device->is->command(device->is->app, code, fields);
    if (result.outcome >= FELT_OUTCOME_REFUSED)
        device->is_safe = was_safe;
    return result;
}

static void received_command(struct felt_device *device, const struct felt_packet *packet)
{
    uint8_t payload[5 + 1 + FELT_MAX_TEXT];
    uint32_t command = felt_load_u32(packet->payload);
    struct felt_kept_result *kept = NULL;

    for (unsigned i = 0; i < FELT_MAX_RESULTS; i++)
        if (device->results[i].is_there && device->results[i].command == command)
            kept = &device->results[i];
    if (!kept) {
        struct felt_fields fields = {packet->payload + 4, packet->length - 4, false};
        uint8_t code = felt_take_u8(&fields);
        struct felt_result result = fields.is_bad ? FELT_WHAT : carry_out(device, code, &fields);
        kept = &device->results[device->next_result];
        *kept = (struct felt_kept_result){command, result.outcome, true, is_lasting(code), result.detail};
        device->next_result = (uint8_t)((device->next_result + 1) % FELT_MAX_RESULTS);
        if (kept->is_lasting)
            felt_memory_commit(device);
    }
    felt_store_u32(payload, command);
    payload[4] = kept->outcome;
    uint8_t *end = put_text(payload + 5, kept->detail, FELT_MAX_TEXT);
    answer(device, FELT_RESULT, packet->seq, payload, (size_t)(end - payload));
}

static bool frame_of_event(struct felt_device *device, uint8_t frame[FELT_MAX_FRAME], size_t *length)
{
    uint8_t payload[FELT_MESSAGE_ROOM], stream[FELT_DIGEST];
    uint32_t number;
    size_t count;

    if (!felt_memory_oldest(device, &number, payload, &count))
        return false;
    if (payload[0] == FELT_MSG_DISPENSED && count > FACES_AT) {
        struct felt_hmac hmac;
        uint8_t seq[4];
        felt_store_u32(seq, number);
        felt_hmac_begin(&hmac, device->faces_key, sizeof device->faces_key);
        felt_hmac_add(&hmac, seq, sizeof seq);
        felt_hmac_end(&hmac, stream);
        for (size_t i = FACES_AT; i < count; i++)
            payload[i] ^= stream[i - FACES_AT];
    }
    *length = frame_of(device, frame, FELT_EVENT, device->session, number, payload, count);
    return true;
}

static void received_poll(struct felt_device *device, const struct felt_packet *packet)
{
    size_t length;

    felt_memory_forget(device, felt_load_u32(packet->payload));
    if (device->is->is_polled && frame_of_event(device, device->answer, &length)) {
        device->answer_length = (uint16_t)length;
        send(device, device->answer, length);
        return;
    }
    answer(device, FELT_IDLE, packet->seq, NULL, 0);
}

static bool is_signed(struct felt_device *device, const struct felt_packet *packet)
{
    struct felt_hmac hmac;
    uint8_t digest[FELT_DIGEST], differs = 0;

    felt_hmac_begin(&hmac, device->tag_key, sizeof device->tag_key);
    felt_hmac_add(&hmac, packet->payload - FELT_HEAD, FELT_HEAD + packet->length);
    felt_hmac_end(&hmac, digest);
    /* As long for a tag that is nearly right as for any other. */
    for (unsigned i = 0; i < FELT_TAG; i++)
        differs |= digest[i] ^ packet->tag[i];
    return !differs;
}

void felt_session_received(struct felt_device *device, const struct felt_packet *packet)
{
    if (packet->kind >= FELT_IDENTITY || packet->address != device->is->address)
        return;
    device->packets++;
    if (packet->kind == FELT_HELLO) {
        received_hello(device, packet);
        return;
    }
    if (!device->in_session) {
        felt_session_ask_for_hello(device);
        return;
    }
    if (packet->session != device->session || !is_signed(device, packet)) {
        device->strange++;
        return;
    }
    device->heard_ms = device->hal->now_ms(device->hal->self);
    if (packet->kind == FELT_ACK) {
        felt_memory_forget(device, packet->seq);
    } else if (packet->seq == device->last_request) {
        if (device->answer_length)
            send(device, device->answer, device->answer_length);
    } else if (packet->seq > device->last_request) {
        if (packet->kind == FELT_COMMAND ? packet->length < 4 : packet->length != 4)
            return;
        device->last_request = packet->seq;
        if (packet->kind == FELT_COMMAND)
            received_command(device, packet);
        else
            received_poll(device, packet);
    }
}

/* --- Events and the clock ------------------------------------------------------- */

/* On a line of its own: the oldest event, at once and every quarter of a second. */
void felt_session_send_event(struct felt_device *device)
{
    uint8_t frame[FELT_MAX_FRAME];
    size_t length;
    uint32_t now = device->hal->now_ms(device->hal->self);

    if (device->is->is_polled || !device->in_session || !device->waiting)
        return;
    if (device->event_is_out && now - device->event_sent_ms < FELT_REPEAT_MS)
        return;
    if (!frame_of_event(device, frame, &length))
        return;
    send(device, frame, length);
    device->event_is_out = true;
    device->event_sent_ms = now;
}

static void watch(struct felt_device *device)
{
    uint32_t now = device->hal->now_ms(device->hal->self);

    if (device->is_safe || now - device->heard_ms < device->watchdog_ms)
        return;
    go_safe(device);
    struct felt_message message = felt_message_of(FELT_MSG_WENT_SAFE);
    felt_tell(device, &message);
}

bool felt_start(struct felt_device *device, const struct felt_hal *hal, const struct felt_device_kind *is,
                uint8_t kept[FELT_APP_ROOM])
{
    memset(device, 0, sizeof *device);
    device->hal = hal;
    device->is = is;
    device->watchdog_ms = FELT_FIRST_WATCHDOG_MS;
    device->is_safe = true;
    return felt_memory_start(device, kept);
}

void felt_begin(struct felt_device *device)
{
    felt_memory_commit(device);
    if (!device->is->is_polled)
        felt_session_ask_for_hello(device);
}

void felt_step(struct felt_device *device)
{
    uint8_t bytes[64];
    struct felt_packet packet;
    size_t count = device->hal->read(device->hal->self, bytes, sizeof bytes);

    for (size_t i = 0; i < count; i++)
        if (felt_collect(&device->collector, bytes[i], &packet))
            felt_session_received(device, &packet);
    watch(device);
    felt_session_send_event(device);
}

uint32_t felt_tell(struct felt_device *device, const struct felt_message *message)
{
    return felt_memory_add(device, message);
}

void felt_keep(struct felt_device *device) { felt_memory_commit(device); }
