#define _GNU_SOURCE /* pseudo-terminals */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 5
#define WRITE_MS 50
#define ACT_BYTES 256
#define ACTS "fail NATURE, clear, door open|closed, cable out|in, restart"

struct host {
    const char *link, *serial, *key, *memory;
    bool is_polled;
    int line, other_end;
    struct host_device devices[HOST_DEVICES];
    unsigned count;
};

static struct host host = {.line = -1, .other_end = -1};
static char **words_at_start;
static volatile sig_atomic_t is_ended;

static void end(int signal_number)
{
    (void)signal_number;
    is_ended = 1;
}

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "felt-%s: %s: %s\n", host_kind.name, what, why);
    exit(2);
}

/* --- For the applications ------------------------------------------------------- */

uint32_t host_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

void host_says(const struct host_device *device, const char *what, const char *how)
{
    printf("%u %s %s\n", device->is.address, what, how);
    fflush(stdout);
}

void host_says_number(const struct host_device *device, const char *what, unsigned number)
{
    printf("%u %s %u\n", device->is.address, what, number);
    fflush(stdout);
}

int host_word(const char *word, const char *const *words)
{
    for (int i = 0; word && words[i]; i++)
        if (!strcmp(word, words[i]))
            return i;
    return -1;
}

long long host_number(const char *word)
{
    char *last;

    if (!word || *word < '0' || *word > '9')
        return -1;
    errno = 0;
    long long number = strtoll(word, &last, 10);
    return *last || errno ? -1 : number;
}

/* --- The six functions ---------------------------------------------------------- */

static uint32_t now_ms(void *self)
{
    (void)self;
    return host_now();
}

static size_t read_line(void *self, uint8_t *into, size_t room)
{
    struct host_device *device = self;
    size_t count = 0;

    for (; count < room && device->count; count++, device->count--) {
        into[count] = device->inbox[device->first];
        device->first = (device->first + 1) % HOST_INBOX;
    }
    return count;
}

static void write_line(void *self, const uint8_t *bytes, size_t count)
{
    (void)self;
    while (count && host.line >= 0) {
        ssize_t written = write(host.line, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
            continue;
        }
        struct pollfd ready = {host.line, POLLOUT, 0};
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return;
        if (poll(&ready, 1, WRITE_MS) == 0)
            return; /* nobody takes it: as on a cable that is out */
    }
}

static void draw(void *self, uint8_t *into, size_t count)
{
    (void)self;
    if (getrandom(into, count, 0) != (ssize_t)count)
        give_up("random numbers", strerror(errno));
}

static bool load(void *self, uint32_t at, void *into, size_t count)
{
    return pread(((struct host_device *)self)->memory, into, count, at) == (ssize_t)count;
}

/* Enough for a process that is killed. A PC that loses power would need fdatasync. */
static bool store(void *self, uint32_t at, const void *from, size_t count)
{
    return pwrite(((struct host_device *)self)->memory, from, count, at) == (ssize_t)count;
}

/* --- The port ------------------------------------------------------------------- */

static void make_raw(int descriptor)
{
    struct termios settings;

    if (tcgetattr(descriptor, &settings))
        give_up("the port", strerror(errno));
    cfmakeraw(&settings);
    cfsetspeed(&settings, B115200);
    if (tcsetattr(descriptor, TCSANOW, &settings))
        give_up("the port", strerror(errno));
}

static void plug_in(void)
{
    if (host.line >= 0)
        return;
    if (host.serial) {
        host.line = open(host.serial, O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (host.line < 0)
            give_up(host.serial, strerror(errno));
        make_raw(host.line);
        return;
    }
    int line = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (line < 0 || grantpt(line) || unlockpt(line))
        give_up("a pseudo-terminal", strerror(errno));
    const char *name = ptsname(line);
    /* Kept open, so that felt may come and go. */
    host.other_end = open(name, O_RDWR | O_NOCTTY);
    if (host.other_end < 0)
        give_up(name, strerror(errno));
    make_raw(host.other_end);
    host.line = line;
    if (host.link) {
        if (unlink(host.link) && errno != ENOENT)
            give_up(host.link, strerror(errno));
        if (symlink(name, host.link))
            give_up(host.link, strerror(errno));
    }
    printf("port %s\n", host.link ? host.link : name);
    fflush(stdout);
}

static void unplug(void)
{
    if (host.line < 0)
        return;
    close(host.line);
    if (host.other_end >= 0)
        close(host.other_end);
    host.line = host.other_end = -1;
    if (host.link)
        unlink(host.link);
}

/* Every device on the line hears everything. As much as all of them have room for: the rest waits. */
static void hear(void)
{
    uint8_t bytes[512];
    size_t room = sizeof bytes;
    ssize_t count;

    for (unsigned i = 0; i < host.count; i++)
        if (HOST_INBOX - host.devices[i].count < room)
            room = HOST_INBOX - host.devices[i].count;
    if (host.line < 0 || (count = read(host.line, bytes, room)) <= 0)
        return;
    for (unsigned i = 0; i < host.count; i++)
        for (ssize_t n = 0; n < count; n++) {
            struct host_device *device = &host.devices[i];
            device->inbox[(device->first + device->count++) % HOST_INBOX] = bytes[n];
        }
}

/* --- The bench ------------------------------------------------------------------ */

/* What can be done at any device. */
static bool act_at_any(struct felt_device *device, const char *verb, const char *what)
{
    static const char *const natures[] = {"jam",   "stopped",  "incomplete", "door", "lamp", "sensor",
                                          "power", "internal", NULL};
    static const char *const doors[] = {"closed", "open", NULL};
    int nature = host_word(what, natures), door = host_word(what, doors);

    if (!strcmp(verb, "door") && door >= 0)
        felt_door(device, door);
    else if (!strcmp(verb, "fail") && nature >= 0)
        felt_fault(device, (uint8_t)nature, "as it was told on its bench");
    else if (!strcmp(verb, "clear"))
        for (uint8_t n = 0; n <= FELT_NATURE_SORT_MODE; n++)
            felt_fault_cleared(device, n);
    else
        return false;
    return true;
}

/* ADDRESS VERB WHAT, or as felt says it: {"VERB": "WHAT"}. Of JSON only the words are of any interest. */
static void act(char *line)
{
    static const char *const cable[] = {"out", "in", NULL};
    struct host_device *device = &host.devices[0];
    char *rest;

    for (char *one = line; *one; one++)
        if (strchr("{}\":,\r", *one))
            *one = ' ';
    char *verb = strtok_r(line, " ", &rest);
    if (verb && host_number(verb) >= 0) {
        device = NULL;
        for (unsigned i = 0; i < host.count; i++)
            if (host.devices[i].is.address == host_number(verb))
                device = &host.devices[i];
        verb = strtok_r(NULL, " ", &rest);
    }
    if (!verb)
        return;
    const char *what = strtok_r(NULL, " ", &rest);
    what = what ? what : "";
    if (!strcmp(verb, "restart")) {
        /* All that is in its memory is gone, but for the file. */
        unplug();
        execv("/proc/self/exe", words_at_start);
        give_up("/proc/self/exe", strerror(errno));
    }
    if (!strcmp(verb, "cable") && host_word(what, cable) >= 0) {
        if (host_word(what, cable))
            plug_in();
        else
            unplug();
        return;
    }
    if (!device || !(host_kind.act(device, verb, what) || act_at_any(&device->device, verb, what))) {
        printf("{\"refused\": \"there are: %s; " ACTS "\"}\n", host_kind.acts);
        fflush(stdout);
    }
}

/* Lines of standard input; false when it has ended. */
static bool listen_to_people(void)
{
    static char line[ACT_BYTES];
    static size_t used;
    ssize_t count = read(STDIN_FILENO, line + used, sizeof line - used);
    char *newline;

    if (count == 0)
        return false;
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    used += (size_t)count;
    while ((newline = memchr(line, '\n', used))) {
        size_t length = (size_t)(newline - line) + 1;
        *newline = 0;
        act(line);
        used -= length;
        memmove(line, line + length, used);
    }
    if (used == sizeof line)
        used = 0; /* no act is as long as that */
    return true;
}

/* --- Start ---------------------------------------------------------------------- */

/* A name of a file, with the address in the place of a %. */
static void named(char name[ACT_BYTES], const char *pattern, unsigned address)
{
    const char *percent = strchr(pattern, '%');

    if (percent)
        snprintf(name, ACT_BYTES, "%.*s%u%s", (int)(percent - pattern), pattern, address, percent + 1);
    else
        snprintf(name, ACT_BYTES, "%s", pattern);
}

/* As felt keeps it: 64 hexadecimal digits. */
static void read_key(struct host_device *device)
{
    char name[ACT_BYTES];
    FILE *file;

    if (!host.key)
        return; /* the key of the bench: zeros */
    named(name, host.key, device->is.address);
    file = fopen(name, "r");
    if (!file)
        give_up(name, strerror(errno));
    for (unsigned i = 0; i < FELT_KEY; i++) {
        unsigned byte;
        if (fscanf(file, "%2x", &byte) != 1)
            give_up(name, "is no key of 64 hexadecimal digits");
        device->is.key[i] = (uint8_t)byte;
    }
    fclose(file);
}

static void measure_firmware(uint8_t digest[FELT_DIGEST])
{
    uint8_t bytes[4096];
    size_t count;
    struct felt_sha256 sha;
    FILE *file = fopen("/proc/self/exe", "rb");

    if (!file)
        give_up("/proc/self/exe", strerror(errno));
    felt_sha256_begin(&sha);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        felt_sha256_add(&sha, bytes, count);
    felt_sha256_end(&sha, digest);
    fclose(file);
}

static void start(struct host_device *device, unsigned place, uint8_t address, const uint8_t firmware[FELT_DIGEST])
{
    char name[ACT_BYTES];
    uint8_t kept[FELT_APP_ROOM];

    device->host = &host;
    device->place = place;
    snprintf(device->serial_number, sizeof device->serial_number, "C-%.12s-%u", host_kind.name, address);
    device->is = (struct felt_device_kind){
        .model = host_kind.model,
        .serial_number = device->serial_number,
        .address = address,
        .is_polled = host.is_polled,
    };
    memcpy(device->is.firmware, firmware, FELT_DIGEST);
    device->hal = (struct felt_hal){device, now_ms, read_line, write_line, draw, load, store};
    read_key(device);
    named(name, host.memory, address);
    device->memory = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (device->memory < 0)
        give_up(name, strerror(errno));
    host_kind.prepare(device);
    felt_start(&device->device, &device->hal, &device->is, kept);
    host_kind.restore(device, kept);
    felt_begin(&device->device);
}

static void usage(void)
{
    fprintf(stderr,
            "usage: felt-%s --memory FILE [--port NAME | --serial DEVICE] [--key FILE] [--address N,N,...] [--bus]\n"
            "  --port     a name for the pseudo-terminal that it makes, for felt to open\n"
            "  --serial   a serial port to speak on instead\n"
            "  --memory   what survives a loss of power; %% stands for the address, here and in --key\n"
            "  --key      the key file; without it the key of the bench\n"
            "on its standard input: [ADDRESS] %s, " ACTS "\n",
            host_kind.name, host_kind.acts);
    exit(2);
}

int main(int count, char **words)
{
    static const char *const options[] = {"--port", "--serial", "--key", "--memory", "--address", "--bus", NULL};
    const char **into[] = {&host.link, &host.serial, &host.key, &host.memory};
    char *addresses = NULL, *rest;
    uint8_t firmware[FELT_DIGEST];

    words_at_start = words;
    for (int i = 1; i < count; i++) {
        int option = host_word(words[i], options);
        if (option == 5) {
            host.is_polled = true;
            continue;
        }
        if (option < 0 || ++i == count)
            usage();
        if (option == 4)
            addresses = words[i];
        else
            *into[option] = words[i];
    }
    if (!host.memory)
        usage();
    signal(SIGTERM, end);
    signal(SIGINT, end);
    signal(SIGPIPE, SIG_IGN);
    measure_firmware(firmware);
    char alone[] = "1";
    for (char *one = strtok_r(addresses ? addresses : alone, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        long long address = host_number(one);
        if (address < 1 || address > 255 || host.count == HOST_DEVICES)
            usage();
        host.devices[host.count].is.address = (uint8_t)address;
        start(&host.devices[host.count], host.count, (uint8_t)address, firmware);
        host.count++;
    }
    plug_in();
    for (bool is_open = true; !is_ended;) {
        struct pollfd ready[2] = {{is_open ? STDIN_FILENO : -1, POLLIN, 0}, {host.line, POLLIN, 0}};
        poll(ready, 2, STEP_MS);
        if (ready[0].revents)
            is_open = listen_to_people();
        hear();
        for (unsigned i = 0; i < host.count; i++) {
            do
                felt_step(&host.devices[i].device);
            while (host.devices[i].count);
            host_kind.tick(&host.devices[i], host_now());
        }
    }
    unplug();
    return 0;
}
