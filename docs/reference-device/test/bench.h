/* A device on the bench: a line, a clock and a memory of bytes, for the tests. */
#ifndef FELT_TEST_BENCH_H
#define FELT_TEST_BENCH_H

#include "../core/felt.h"

#ifndef BENCH_LINE
#define BENCH_LINE 1024
#endif

struct bench {
    uint8_t to_device[BENCH_LINE];
    size_t to_device_count, to_device_read;
    uint8_t from_device[BENCH_LINE];
    size_t from_device_count;
    uint32_t now;
    uint8_t memory[FELT_MEMORY_BYTES];
    /* So many bytes are stored yet before the power goes; all, if negative. */
    long bytes_left;
    uint8_t nonce; /* the first byte of the next nonce; the others count up from it */
    struct felt_hal hal;
};

void bench_start(struct bench *bench);
void bench_put(struct bench *bench, const uint8_t *bytes, size_t count);
/* Steps the device until it has read everything. */
void bench_run(struct bench *bench, struct felt_device *device);
/* Takes what the device has said: the frame's length, 0 if there is none. */
size_t bench_take(struct bench *bench, uint8_t *frame);

#endif
