/* SHA-256 and HMAC-SHA256 (FIPS 180-4, RFC 2104), for small memories: no tables but the constants. */
#ifndef FELT_SHA256_H
#define FELT_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define FELT_DIGEST 32
#define FELT_SHA256_BLOCK 64

struct felt_sha256 {
    uint32_t state[8];
    uint64_t count; /* bytes that came in */
    uint8_t block[FELT_SHA256_BLOCK];
};

void felt_sha256_begin(struct felt_sha256 *sha);
void felt_sha256_add(struct felt_sha256 *sha, const void *bytes, size_t count);
void felt_sha256_end(struct felt_sha256 *sha, uint8_t digest[FELT_DIGEST]);

struct felt_hmac {
    struct felt_sha256 inner;
    uint8_t key[FELT_SHA256_BLOCK];
};

void felt_hmac_begin(struct felt_hmac *hmac, const uint8_t *key, size_t length);
void felt_hmac_add(struct felt_hmac *hmac, const void *bytes, size_t count);
void felt_hmac_end(struct felt_hmac *hmac, uint8_t digest[FELT_DIGEST]);

#endif
