/* The codec, the hashes and the conversation against the test vectors: on the PC and on the part. */
#include "selftest.h"

#include <string.h>

#include "../apps/acceptor.h"
#include "../apps/panel.h"
#include "../apps/shoe.h"
#include "../apps/shuffler.h"
#include "bench.h"
#include "vectors.h"

static unsigned failures;
static void (*say)(const char *);

static bool same(struct bytes wanted, const void *found, size_t count)
{
    return wanted.count == count && memcmp(wanted.at, found, count) == 0;
}

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    failures++;
    say("FAILED: ");
    say(what);
    say("\n");
}

/* --- Hashes and codec ----------------------------------------------------------- */

/* The first so many bytes of the published digests' inputs are hashed at most: a small part has no second to lose. */
static void hashes(unsigned most)
{
    uint8_t digest[FELT_DIGEST];

    for (unsigned i = 0; i < vectors_sha256_count; i++) {
        const struct vector_sha256 *one = &vectors_sha256[i];
        struct felt_sha256 sha;
        if (one->times > most)
            continue;
        felt_sha256_begin(&sha);
        for (unsigned n = 0; n < one->times; n++)
            felt_sha256_add(&sha, one->bytes.at, one->bytes.count);
        felt_sha256_end(&sha, digest);
        expect(same(one->digest, digest, sizeof digest), "sha256");
    }
    for (unsigned i = 0; i < vectors_hmac_count; i++) {
        const struct vector_hmac *one = &vectors_hmac[i];
        struct felt_hmac hmac;
        felt_hmac_begin(&hmac, one->key.at, one->key.count);
        felt_hmac_add(&hmac, one->bytes.at, one->bytes.count);
        felt_hmac_end(&hmac, digest);
        expect(same(one->digest, digest, sizeof digest), "hmac");
    }
}

static void stuffing(void)
{
    uint8_t frame[FELT_MAX_FRAME];
    size_t length;

    for (unsigned i = 0; i < vectors_check_count; i++) {
        uint16_t check = felt_check(vectors_check[i].bytes.at, vectors_check[i].bytes.count);
        uint8_t found[2] = {(uint8_t)(check >> 8), (uint8_t)check};
        expect(same(vectors_check[i].check, found, 2), "check");
    }
    for (unsigned i = 0; i < vectors_stuffing_count; i++) {
        const struct vector_stuffing *one = &vectors_stuffing[i];
        size_t count = felt_stuff(one->block.at, one->block.count, frame);
        expect(same(one->stuffed, frame, count - 1) && frame[count - 1] == 0, "stuffed");
        expect(felt_unstuff(frame, count - 1, &length) && same(one->block, frame, length), "unstuffed");
    }
}

static bool collects(struct felt_collector *collector, struct bytes bytes, struct felt_packet *packet)
{
    bool found = false;

    for (size_t i = 0; i < bytes.count; i++)
        found = felt_collect(collector, bytes.at[i], packet) || found;
    return found;
}

static void frames(void)
{
    static struct felt_collector collector;
    struct felt_packet packet;
    uint8_t digest[FELT_DIGEST];

    memset(&collector, 0, sizeof collector);
    for (unsigned i = 0; i < vectors_message_count; i++) {
        const struct vector_message *one = &vectors_message[i];
        bool found = collects(&collector, one->frame, &packet);
        expect(found, "a message's frame");
        if (!found)
            continue;
        size_t id = packet.kind == FELT_COMMAND ? 4 : 0;
        expect(packet.seq == one->seq, "a message's number");
        expect(packet.length >= id && same(one->payload, packet.payload + id, packet.length - id), "a message");
        struct felt_hmac hmac;
        felt_hmac_begin(&hmac, vector_tag_key.at, vector_tag_key.count);
        felt_hmac_add(&hmac, packet.payload - FELT_HEAD, FELT_HEAD + packet.length);
        felt_hmac_end(&hmac, digest);
        expect(memcmp(packet.tag, digest, FELT_TAG) == 0, "a message's tag");
    }
    for (unsigned i = 0; i < vectors_no_frame_count; i++) {
        expect(!collects(&collector, vectors_no_frame[i].bytes, &packet), "what is no frame");
        expect(collects(&collector, vectors_message[0].frame, &packet), "a frame after one that is none");
    }
}

/* --- Devices -------------------------------------------------------------------- */

static struct bench bench;
static struct felt_device device;
static struct felt_device_kind is;
static struct acceptor acceptor;

static bool set_lock(void *self, bool locked)
{
    (void)self;
    return locked;
}

static uint8_t set_lamp(void *self, uint8_t lamp)
{
    (void)self;
    return lamp;
}

static bool let_go(void *self, uint8_t place, uint8_t to)
{
    (void)self, (void)place, (void)to;
    return true;
}

static const struct acceptor_machine machine = {NULL, set_lock, set_lamp, let_go};

static void start_acceptor(uint8_t address, bool polled)
{
    uint8_t kept[FELT_APP_ROOM];
    struct felt_sha256 sha;

    memset(&acceptor, 0, sizeof acceptor);
    acceptor.device = &device;
    acceptor.machine = &machine;
    acceptor.wager = "progressive";
    is = (struct felt_device_kind){.model = "A-100", .serial_number = "4711", .address = address, .is_polled = polled};
    memcpy(is.key, vector_key.at, sizeof is.key);
    felt_sha256_begin(&sha);
    felt_sha256_add(&sha, vector_firmware, strlen(vector_firmware));
    felt_sha256_end(&sha, is.firmware);
    acceptor_kind(&acceptor, &is);
    felt_start(&device, &bench.hal, &is, kept);
    acceptor_restore(&acceptor, kept);
}

static void tell(struct bytes payload)
{
    struct felt_message message = {{0}, (uint8_t)payload.count, false};

    memcpy(message.bytes, payload.at, payload.count);
    felt_tell(&device, &message);
}

static void converse(const struct vector_step *steps, unsigned count, uint8_t address, bool polled)
{
    uint8_t frame[FELT_MAX_FRAME];
    uint32_t boot = 7;

    bench_start(&bench);
    start_acceptor(address, polled);
    bench.nonce = vector_device_nonce_1.at[0];
    device.boot = boot;
    for (unsigned i = 0; i < count; i++) {
        struct bytes bytes = steps[i].bytes;
        switch (steps[i].step) {
        case STEP_FELT:
            bench_put(&bench, bytes.at, bytes.count);
            bench_run(&bench, &device);
            break;
        case STEP_TELL:
            tell(bytes);
            bench_run(&bench, &device);
            break;
        case STEP_RESTART:
            start_acceptor(address, polled);
            device.boot = ++boot;
            break;
        case STEP_DEVICE:
            expect(same(bytes, frame, bench_take(&bench, frame)), "what the device says");
            break;
        }
    }
    expect(bench_take(&bench, frame) == 0, "nothing more is said");
}

static void identity(void)
{
    uint8_t frame[FELT_MAX_FRAME];
    size_t length;
    struct felt_packet packet;

    bench_start(&bench);
    start_acceptor(1, false);
    bench.nonce = vector_device_nonce_1.at[0];
    device.boot = 7;
    bench_put(&bench, vectors_a_line_of_its_own[0].bytes.at, vectors_a_line_of_its_own[0].bytes.count);
    bench_run(&bench, &device);
    size_t count = bench_take(&bench, frame);
    bool is_frame = count && felt_unstuff(frame, count - 1, &length) && felt_read_block(frame, length, &packet);
    expect(is_frame, "an identity's frame");
    if (!is_frame)
        return;
    expect(packet.length == vector_identity.count + vector_proof.count &&
               !memcmp(packet.payload, vector_identity.at, vector_identity.count),
           "an identity");
    expect(!memcmp(packet.payload + vector_identity.count, vector_proof.at, vector_proof.count), "a proof");
    expect(same(vector_tag_key, device.tag_key, FELT_DIGEST), "the tag key");
    expect(same(vector_faces_key, device.faces_key, FELT_DIGEST), "the faces key");
    /* What a shoe has read is covered on its way out. */
    for (unsigned i = 0; i < vectors_message_count; i++) {
        const struct vector_message *one = &vectors_message[i];
        if (one->payload.at[0] != FELT_MSG_DISPENSED)
            continue;
        struct felt_message message = {{0}, (uint8_t)one->payload.count, false};
        memcpy(message.bytes, one->payload.at, one->payload.count - vector_faces.count);
        memcpy(message.bytes + one->payload.count - vector_faces.count, vector_faces.at, vector_faces.count);
        device.next_event = one->seq;
        felt_tell(&device, &message);
        bench_run(&bench, &device);
        expect(same(one->frame, frame, bench_take(&bench, frame)), "covered faces");
    }
}

/* What is no message is unknown to every kind of device. */
static void no_messages(void)
{
    static struct shoe shoe;
    static struct shuffler shuffler;
    static struct panel panel;
    struct felt_device_kind kinds[4];

    bench_start(&bench);
    start_acceptor(1, false);
    shoe.device = shuffler.device = panel.device = &device;
    acceptor_kind(&acceptor, &kinds[0]);
    shoe_kind(&shoe, &kinds[1]);
    shuffler_kind(&shuffler, &kinds[2]);
    panel_kind(&panel, &kinds[3]);
    for (unsigned i = 0; i < vectors_no_message_count; i++)
        for (unsigned n = 0; n < 4; n++) {
            struct bytes payload = vectors_no_message[i].payload;
            struct felt_fields fields = {payload.at + 1, payload.count - 1, false};
            struct felt_result result = kinds[n].command(kinds[n].app, payload.at[0], &fields);
            expect(result.outcome == FELT_OUTCOME_UNKNOWN || payload.at[0] == FELT_MSG_SET_WATCHDOG, "what is no message");
        }
}

unsigned selftest(void (*say_it)(const char *), bool is_small)
{
    failures = 0;
    say = say_it;
    hashes(is_small ? 1 : 1000000);
    stuffing();
    frames();
    identity();
    converse(vectors_a_line_of_its_own, vectors_a_line_of_its_own_count, 1, false);
    converse(vectors_a_bus, vectors_a_bus_count, 3, true);
    no_messages();
    say(failures ? "the self-test has FAILED\n" : "the self-test holds\n");
    return failures;
}
