/* Whatever comes over the line, and whatever happens at the device: it holds what it must.
 *
 *     fuzz INPUTS [SECONDS [SEED]]    so many inputs, or so many seconds if INPUTS is 0
 *     fuzz --replay FILE              one input again
 *
 * An input is a list of small acts: bytes on the line, packets that felt has signed, hands at the device,
 * time, a loss of power. LLVMFuzzerTestOneInput is what libFuzzer wants: with clang,
 * -fsanitize=fuzzer -DFELT_LIBFUZZER in place of main. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../apps/acceptor.h"
#include "../apps/panel.h"
#include "../apps/shoe.h"
#include "../apps/shuffler.h"
#include "bench.h"
#include "vectors.h"

#define LONGEST 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at;
    size_t left;
};

static struct bench bench;
static struct felt_device device;
static struct felt_device_kind is;
static struct acceptor acceptor;
static struct shoe shoe;
static struct shuffler shuffler;
static struct panel panel;
static uint8_t session;
static uint32_t request, to_feed;
static bool is_shuffling;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static uint8_t next(struct input *input)
{
    if (!input->left)
        return 0;
    input->left--;
    return *input->at++;
}

static size_t some(struct input *input, const uint8_t **at, size_t most)
{
    size_t count = next(input);

    if (count > most)
        count = most;
    if (count > input->left)
        count = input->left;
    *at = input->at;
    input->at += count;
    input->left -= count;
    return count;
}

/* --- Machines that do as they are told ------------------------------------------ */

static void feed(void *self, uint8_t cards)
{
    (void)self;
    must(cards <= shoe.inside, "no more cards are fed than are inside");
    to_feed = cards;
}
static void halt(void *self)
{
    (void)self;
    to_feed = 0;
}
static void shuffle(void *self)
{
    (void)self;
    is_shuffling = true;
}
static bool lock(void *self, bool locked)
{
    (void)self;
    return locked;
}
static uint8_t lamp(void *self, uint8_t shown)
{
    (void)self;
    must(shown < 4, "a lamp shows what there is");
    return shown;
}
static bool let_go(void *self, uint8_t place, uint8_t to)
{
    (void)self;
    must(place < ACCEPTOR_CHIPS && to < 2, "a chip that is there goes where one can go");
    return true;
}
static uint8_t light(void *self, uint8_t which, uint8_t shown)
{
    (void)self;
    must(which < PANEL_LAMPS && shown < 3, "a lamp shows what there is");
    return shown;
}
static void sound(void *self, uint8_t tone)
{
    (void)self;
    must(tone < 4, "a tone that there is");
}

static const struct shoe_machine shoe_machine = {NULL, feed, halt};
static const struct shuffler_machine shuffler_machine = {NULL, shuffle};
static const struct acceptor_machine acceptor_machine = {NULL, lock, lamp, let_go};
static const struct panel_machine panel_machine = {NULL, light, sound};

static void start(uint8_t kind, bool polled)
{
    uint8_t kept[FELT_APP_ROOM];

    memset(&acceptor, 0, sizeof acceptor);
    memset(&shoe, 0, sizeof shoe);
    memset(&shuffler, 0, sizeof shuffler);
    memset(&panel, 0, sizeof panel);
    to_feed = 0;
    is_shuffling = false;
    acceptor.device = shoe.device = shuffler.device = panel.device = &device;
    acceptor.machine = &acceptor_machine;
    acceptor.wager = "progressive";
    shoe.machine = &shoe_machine;
    shoe.reads = true;
    shuffler.machine = &shuffler_machine;
    panel.machine = &panel_machine;
    is = (struct felt_device_kind){.model = "F", .serial_number = "1", .address = 1, .is_polled = polled};
    switch (kind % 4) {
    case 0:
        acceptor_kind(&acceptor, &is);
        break;
    case 1:
        shoe_kind(&shoe, &is);
        break;
    case 2:
        shuffler_kind(&shuffler, &is);
        break;
    default:
        panel_kind(&panel, &is);
        break;
    }
    felt_start(&device, &bench.hal, &is, kept);
    acceptor_restore(&acceptor, kept);
    if (kind % 4 == 1)
        shoe_restore(&shoe, kept);
    if (kind % 4 == 2)
        shuffler_restore(&shuffler, kept, false);
    felt_begin(&device);
}

/* --- felt's end ----------------------------------------------------------------- */

static bool is_forged;

static void say(uint8_t kind, uint32_t seq, const uint8_t *payload, size_t length)
{
    uint8_t block[FELT_MAX_BLOCK], frame[FELT_MAX_FRAME], digest[FELT_DIGEST];
    size_t count = FELT_HEAD;
    struct felt_hmac hmac;

    block[0] = kind;
    block[1] = 1;
    block[2] = session;
    felt_store_u32(block + 3, seq);
    if (length)
        memcpy(block + count, payload, length);
    count += length;
    if (kind != FELT_HELLO) {
        felt_hmac_begin(&hmac, device.tag_key, FELT_DIGEST);
        felt_hmac_add(&hmac, block, count);
        felt_hmac_end(&hmac, digest);
        digest[7] ^= is_forged;
        memcpy(block + count, digest, FELT_TAG);
        count += FELT_TAG;
    }
    uint16_t check = felt_check(block, count);
    block[count++] = (uint8_t)(check >> 8);
    block[count++] = (uint8_t)check;
    bench_put(&bench, frame, felt_stuff(block, count, frame));
}

static void greet(void)
{
    uint8_t hello[1 + FELT_NONCE] = {FELT_PROTOCOL, ++session};

    request = 0;
    say(FELT_HELLO, 0, hello, sizeof hello);
}

static void hands(struct input *input)
{
    switch (next(input) % 14) {
    case 0: acceptor_chip_in(&acceptor, next(input)); break;
    case 1: acceptor_chip_out(&acceptor); break;
    case 2: shoe_loaded(&shoe, next(input)); break;
    case 3:
        if (to_feed) {
            shoe_card_out(&shoe, next(input));
            if (!--to_feed)
                shoe_stack_out(&shoe);
        }
        break;
    case 4: shoe_stack_taken(&shoe); break;
    case 5: shoe_jammed(&shoe); break;
    case 6: felt_fault_cleared(&device, next(input) % 9); break;
    case 7: felt_door(&device, next(input) % 2); break;
    case 8:
        if (next(input) % 2)
            shuffler_filled(&shuffler);
        else
            shuffler_emptied(&shuffler);
        break;
    case 9:
        if (is_shuffling)
            shuffler_cycle_done(&shuffler, next(input));
        is_shuffling = false;
        break;
    case 10:
        if (is_shuffling)
            shuffler_cycle_failed(&shuffler, next(input) % 3);
        is_shuffling = false;
        break;
    case 11: felt_fault(&device, next(input) % 9, "pulled out"); break;
    case 12: shuffler_set_mode(&shuffler, next(input) % 3); break;
    default: panel_pressed(&panel, next(input) % 4); break;
    }
}

/* Everything that it says is a packet of its own, and what it is told it can be asked. */
static void look(void)
{
    uint8_t frame[FELT_MAX_FRAME + BENCH_LINE];
    size_t count, length;
    struct felt_packet packet;

    must(bench.from_device_count < sizeof bench.from_device - FELT_MAX_FRAME, "it says no more than it is asked");
    while ((count = bench_take(&bench, frame))) {
        must(count <= FELT_MAX_FRAME && felt_unstuff(frame, count - 1, &length), "it says frames");
        must(felt_read_block(frame, length, &packet) && packet.kind >= FELT_IDENTITY, "its frames are packets");
    }
    must(device.waiting <= FELT_MAX_EVENTS, "it keeps no more events than it has room for");
    must(acceptor.count <= ACCEPTOR_CHIPS, "no more chips than there is room for");
    must(shoe.stack_count <= FELT_MAX_U8S && shoe.last <= FELT_MAX_U8S, "the stacks of a round");
    must(!shoe.ordered || shoe.ordered == shoe.last + 1, "the next stack, and no other");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const uint8_t *at;
    uint8_t kind = next(&input), payload[FELT_MAX_PAYLOAD];
    bool polled = kind & 4;

    bench_start(&bench);
    session = 0;
    start(kind, polled);
    greet();
    bench_run(&bench, &device);
    while (input.left) {
        switch (next(&input) % 8) {
        case 0: {
            size_t count = some(&input, &at, 255);
            bench_put(&bench, at, count);
            break;
        }
        case 1:
        case 2: {
            /* The id, of few, so that some come again; then a message. */
            memset(payload, 0, 4);
            payload[3] = next(&input) % 32;
            size_t count = some(&input, &at, sizeof payload - 4);
            if (count)
                memcpy(payload + 4, at, count);
            say(FELT_COMMAND, ++request, payload, 4 + count);
            break;
        }
        case 3: {
            felt_store_u32(payload, next(&input));
            say(FELT_POLL, next(&input) % 4 ? ++request : request, payload, 4);
            break;
        }
        case 4:
            say(FELT_ACK, next(&input), NULL, 0);
            break;
        case 5:
            bench.now += next(&input) * 20u;
            break;
        case 6: {
            uint8_t how = next(&input);
            if (how % 8 == 0)
                greet();
            else if (how % 8 == 1) {
                /* The power goes, in the middle of what is stored next or between two. */
                bench.bytes_left = next(&input);
                hands(&input);
                bench.bytes_left = -1;
                start(kind, polled);
                bench.to_device_read = bench.to_device_count = 0;
            } else if (how % 8 == 2) {
                say(next(&input), request + 1, payload, 0);
            } else if (how % 8 == 3) {
                uint32_t last = device.last_request;
                memset(payload, 0, 5);
                payload[4] = next(&input);
                bench_put(&bench, (const uint8_t *)"", 1); /* ends whatever noise came before */
                is_forged = true;
                say(FELT_COMMAND, request + 1, payload, 5);
                is_forged = false;
                bench_run(&bench, &device);
                must(device.last_request == last, "what nobody has signed is no request");
            }
            break;
        }
        default:
            hands(&input);
            break;
        }
        bench_run(&bench, &device);
        if (is.app == &shoe)
            shoe_tick(&shoe);
        if (is.app == &shuffler)
            shuffler_tick(&shuffler);
        look();
    }
    /* And after all of it, it answers the next good request. */
    static const uint8_t ends[2] = {0, 0};
    bench_put(&bench, ends, sizeof ends);
    greet();
    bench_run(&bench, &device);
    look();
    uint32_t before = device.last_request;
    felt_store_u32(payload, 0);
    say(FELT_POLL, ++request, payload, 4);
    bench_run(&bench, &device);
    must(before == 0 && device.last_request == 1, "it answers the next good request");
    return 0;
}

#ifndef FELT_LIBFUZZER
static uint64_t state;
static uint8_t input[LONGEST + 512];
static size_t size;

/* A failure of a sanitizer ends like one of ours: with the input in a file. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__asan_default_options(void) { return "abort_on_error=1"; }
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

static void keep_input(int signal_number)
{
    FILE *file = fopen("fuzz-failed", "wb");

    (void)signal_number;
    if (file) {
        fwrite(input, 1, size, file);
        fclose(file);
        fputs("the input is in fuzz-failed; again: fuzz --replay fuzz-failed\n", stderr);
    }
    _Exit(1);
}

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* What each kind of device is told, so that what it does is not left to luck. */
static const uint8_t codes_of[4][6] = {
    {FELT_MSG_UNLOCK, FELT_MSG_UNLOCK, FELT_MSG_LOCK, FELT_MSG_SET_LAMP, FELT_MSG_RETURN, FELT_MSG_GIVE_BACK},
    {FELT_MSG_ARM, FELT_MSG_ARM, FELT_MSG_DISPENSE, FELT_MSG_DISPENSE, FELT_MSG_DISPENSE, FELT_MSG_STOP},
    {FELT_MSG_SHUFFLE, FELT_MSG_SHUFFLE, FELT_MSG_SET_GAME, FELT_MSG_SHOW_PAYOUTS, FELT_MSG_REPORT, FELT_MSG_QUIESCE},
    {FELT_MSG_LIGHTS, FELT_MSG_TONE, FELT_MSG_REPORT, FELT_MSG_SET_WATCHDOG, FELT_MSG_QUIESCE, FELT_MSG_LIGHTS},
};
/* And what is done at it: the numbers in hands(). */
static const uint8_t hands_of[4][6] = {{0, 0, 0, 1, 7, 11}, {2, 2, 3, 3, 4, 6}, {8, 8, 9, 9, 10, 6}, {13, 13, 13, 7, 6, 11}};

static size_t command_for(uint8_t kind, uint8_t *into)
{
    uint8_t code = codes_of[kind % 4][draw() % 6];
    const struct vector_message *one = vectors_message;

    if (draw() % 4)
        while (one->payload.at[0] != code)
            one++;
    else
        one += draw() % vectors_message_count;
    into[0] = 1;
    into[1] = (uint8_t)draw();
    into[2] = (uint8_t)one->payload.count;
    memcpy(into + 3, one->payload.at, one->payload.count);
    if (draw() % 4 == 0)
        into[3 + draw() % one->payload.count] = (uint8_t)(draw() % 8);
    else if (draw() % 8 == 0)
        into[3 + draw() % one->payload.count] ^= (uint8_t)(1 << draw() % 8);
    return 3 + one->payload.count;
}

/* Random acts, most of them such as there are at a table. */
static size_t make(uint8_t *into)
{
    size_t count = 1 + draw() % (LONGEST - 1), used = 0;
    uint8_t kind = (uint8_t)draw();

    into[used++] = kind;
    while (used < count) {
        uint32_t how = draw() % 8;
        if (how < 3) {
            used += command_for(kind, into + used);
        } else if (how < 6) {
            uint8_t hand = hands_of[kind % 4][draw() % 6];
            for (uint32_t times = draw() % 4 ? 1 : 1 + draw() % 24; times; times--) {
                into[used++] = 7;
                into[used++] = hand;
                into[used++] = (uint8_t)(draw() % 4 ? draw() : draw() % 8);
            }
        } else if (how == 6) {
            struct bytes frame = vectors_message[draw() % vectors_message_count].frame;
            into[used++] = 0;
            into[used++] = (uint8_t)frame.count;
            memcpy(into + used, frame.at, frame.count);
            into[used + draw() % frame.count] ^= (uint8_t)(1 << draw() % 8);
            used += frame.count;
        } else {
            into[used++] = (uint8_t)draw();
            into[used++] = (uint8_t)draw();
        }
    }
    return used;
}

int main(int count, char **words)
{
    unsigned long inputs = count > 1 ? strtoul(words[1], NULL, 10) : 1000, done = 0;
    time_t until = time(NULL) + (count > 2 ? strtol(words[2], NULL, 10) : 0);

    if (count == 3 && !strcmp(words[1], "--replay")) {
        FILE *file = fopen(words[2], "rb");
        if (!file)
            return 2;
        size = fread(input, 1, sizeof input, file);
        fclose(file);
        return LLVMFuzzerTestOneInput(input, size);
    }
    signal(SIGABRT, keep_input);
    state = 0x9e3779b97f4a7c15u ^ (count > 3 ? strtoull(words[3], NULL, 10) : inputs ? 0 : (uint64_t)time(NULL));
    for (; inputs ? done < inputs : time(NULL) < until; done++) {
        size = make(input);
        LLVMFuzzerTestOneInput(input, size);
    }
    printf("%lu inputs, and nothing broke\n", done);
    return 0;
}
#endif
