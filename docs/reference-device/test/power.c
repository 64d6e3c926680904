/* Power is lost at every single byte that an acceptor stores, and after each the device is looked at.
 *
 * A chip that went in is one that felt will hear of, once, under one number, and the chip that lies in
 * the slot is the one that the event names: whichever byte was the last. */
#include "power.h"

#include <stdio.h>
#include <string.h>

#include "../apps/acceptor.h"
#include "bench.h"

#define CHIPS 5

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

static void start(void)
{
    uint8_t kept[FELT_APP_ROOM];

    memset(&acceptor, 0, sizeof acceptor);
    acceptor.device = &device;
    acceptor.machine = &machine;
    acceptor.wager = "progressive";
    is = (struct felt_device_kind){.model = "A", .serial_number = "1", .address = 1};
    acceptor_kind(&acceptor, &is);
    felt_start(&device, &bench.hal, &is, kept);
    acceptor_restore(&acceptor, kept);
    felt_begin(&device);
}

/* What waits, oldest first: numbers that follow each other, and the cents of each wager. */
static unsigned waiting(uint32_t numbers[FELT_MAX_EVENTS], uint8_t cents[FELT_MAX_EVENTS])
{
    unsigned count = 0;
    uint8_t bytes[FELT_MESSAGE_ROOM];
    size_t length;

    while (count < FELT_MAX_EVENTS && felt_memory_oldest(&device, &numbers[count], bytes, &length)) {
        cents[count] = bytes[20];
        felt_memory_forget(&device, numbers[count]);
        count++;
    }
    return count;
}

unsigned power(void (*say)(const char *))
{
    uint32_t numbers[FELT_MAX_EVENTS];
    uint8_t cents[FELT_MAX_EVENTS];
    unsigned failures = 0, cuts = 0;

    for (long bytes = 0;; bytes++) {
        unsigned told = 0;
        bench_start(&bench);
        start();
        uint32_t boot = device.boot;
        acceptor.is_locked = false;
        acceptor.lamp = FELT_LAMP_ACCEPTED; /* so that it has nothing to tell but the chips */
        bench.bytes_left = bytes;
        for (unsigned chip = 1; chip <= CHIPS && !device.memory_failed; chip++) {
            acceptor_chip_in(&acceptor, chip);
            told += !device.memory_failed;
        }
        if (!device.memory_failed)
            break; /* nothing was cut any more */
        cuts++;
        bench.bytes_left = -1;
        start();
        uint8_t lie_in_it = acceptor.count;
        uint32_t first_chip = acceptor.chips[0];
        bool same_boot = device.boot == boot;
        unsigned kept = waiting(numbers, cents);
        bool holds = kept == told && lie_in_it == kept && same_boot == (kept > 0) && (!kept || first_chip == 1);
        for (unsigned i = 0; i < kept; i++)
            holds = holds && numbers[i] == i + 1 && cents[i] == i + 1;
        failures += !holds;
    }
    char text[80];
    snprintf(text, sizeof text, "power was cut at %u bytes, %u times something was lost\n", cuts, failures);
    say(text);
    return failures + !cuts;
}
