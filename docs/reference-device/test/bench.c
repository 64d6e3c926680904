#include "bench.h"

#include <string.h>

static uint32_t now_ms(void *self) { return ((struct bench *)self)->now; }

static size_t read_line(void *self, uint8_t *into, size_t room)
{
    struct bench *bench = self;
    size_t count = bench->to_device_count - bench->to_device_read;

    if (count > room)
        count = room;
    memcpy(into, bench->to_device + bench->to_device_read, count);
    bench->to_device_read += count;
    return count;
}

static void write_line(void *self, const uint8_t *bytes, size_t count)
{
    struct bench *bench = self;

    if (count > sizeof bench->from_device - bench->from_device_count)
        return;
    memcpy(bench->from_device + bench->from_device_count, bytes, count);
    bench->from_device_count += count;
}

static void draw(void *self, uint8_t *into, size_t count)
{
    struct bench *bench = self;

    for (size_t i = 0; i < count; i++)
        into[i] = (uint8_t)(bench->nonce + i);
    bench->nonce = (uint8_t)(bench->nonce + 0x20);
}

static bool load(void *self, uint32_t at, void *into, size_t count)
{
    memcpy(into, ((struct bench *)self)->memory + at, count);
    return true;
}

static bool store(void *self, uint32_t at, const void *from, size_t count)
{
    struct bench *bench = self;

    if (bench->bytes_left >= 0 && (size_t)bench->bytes_left < count) {
        memcpy(bench->memory + at, from, (size_t)bench->bytes_left);
        bench->bytes_left = 0;
        return false;
    }
    memcpy(bench->memory + at, from, count);
    if (bench->bytes_left >= 0)
        bench->bytes_left -= (long)count;
    return true;
}

void bench_start(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    bench->bytes_left = -1;
    bench->hal = (struct felt_hal){bench, now_ms, read_line, write_line, draw, load, store};
}

void bench_put(struct bench *bench, const uint8_t *bytes, size_t count)
{
    if (bench->to_device_read == bench->to_device_count)
        bench->to_device_read = bench->to_device_count = 0;
    if (count > sizeof bench->to_device - bench->to_device_count)
        return;
    memcpy(bench->to_device + bench->to_device_count, bytes, count);
    bench->to_device_count += count;
}

void bench_run(struct bench *bench, struct felt_device *device)
{
    do
        felt_step(device);
    while (bench->to_device_read < bench->to_device_count);
}

size_t bench_take(struct bench *bench, uint8_t *frame)
{
    const uint8_t *end = memchr(bench->from_device, 0, bench->from_device_count);
    if (!end)
        return 0;
    size_t count = (size_t)(end - bench->from_device) + 1;
    memcpy(frame, bench->from_device, count);
    bench->from_device_count -= count;
    memmove(bench->from_device, bench->from_device + count, bench->from_device_count);
    return count;
}
