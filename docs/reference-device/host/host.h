/* A device as a program on a PC: a port for felt, a file for a memory, and words on its standard input
 * for hands and sensors. */
#ifndef FELT_HOST_H
#define FELT_HOST_H

#include "../core/felt.h"

#define HOST_DEVICES 8 /* on one bus */
#define HOST_INBOX 4096

struct host;

struct host_device {
    struct host *host;
    struct felt_device device;
    struct felt_device_kind is;
    struct felt_hal hal;
    char serial_number[FELT_MAX_NAME + 1];
    int memory; /* the file */
    uint8_t inbox[HOST_INBOX];
    size_t first, count;
    unsigned place; /* among the devices of this program */
};

/* What each kind of device has in a file of its own. */
struct host_kind {
    const char *name, *model;
    const char *acts; /* for people */
    /* Prepares the application and what it is; after it the application stands as it stood. */
    void (*prepare)(struct host_device *host_device);
    void (*restore)(struct host_device *host_device, const uint8_t kept[FELT_APP_ROOM]);
    void (*tick)(struct host_device *host_device, uint32_t now);
    /* Somebody does something at it; false if nobody can do that here. */
    bool (*act)(struct host_device *host_device, const char *verb, const char *what);
};
extern const struct host_kind host_kind;

uint32_t host_now(void);
/* What the device does, for whoever looks on: a line on standard output. */
void host_says(const struct host_device *host_device, const char *what, const char *how);
void host_says_number(const struct host_device *host_device, const char *what, unsigned number);
/* The place of a word in a list that ends with null; -1 if it is none of them. */
int host_word(const char *word, const char *const *words);
/* A whole number, or -1. */
long long host_number(const char *word);

#endif
