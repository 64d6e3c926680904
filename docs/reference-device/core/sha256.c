#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t value, unsigned by) { return value >> by | value << (32 - by); }

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The schedule is kept as its last 16 words: 64 bytes of stack in place of 256. */
static void take_block(uint32_t state[8], const uint8_t block[FELT_SHA256_BLOCK])
{
    uint32_t words[16], v[8];

    for (unsigned i = 0; i < 16; i++)
        words[i] = word_at(block + 4 * i);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        if (i >= 16) {
            uint32_t early = words[(i + 1) % 16], late = words[(i + 14) % 16];
            words[i % 16] += (turned(early, 7) ^ turned(early, 18) ^ early >> 3) +
                             words[(i + 9) % 16] +
                             (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
        }
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + choice +
                       constants[i] + words[i % 16];
        uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void felt_sha256_begin(struct felt_sha256 *sha)
{
    static const uint32_t first[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(sha->state, first, sizeof first);
    sha->count = 0;
}

void felt_sha256_add(struct felt_sha256 *sha, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;

    while (count) {
        size_t used = (size_t)(sha->count % FELT_SHA256_BLOCK);
        size_t piece = FELT_SHA256_BLOCK - used < count ? FELT_SHA256_BLOCK - used : count;
        memcpy(sha->block + used, from, piece);
        sha->count += piece;
        from += piece;
        count -= piece;
        if (used + piece == FELT_SHA256_BLOCK)
            take_block(sha->state, sha->block);
    }
}

void felt_sha256_end(struct felt_sha256 *sha, uint8_t digest[FELT_DIGEST])
{
    static const uint8_t padding[FELT_SHA256_BLOCK] = {0x80};
    uint64_t bits = sha->count * 8;
    size_t used = (size_t)(sha->count % FELT_SHA256_BLOCK);
    uint8_t length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    felt_sha256_add(sha, padding, used < 56 ? 56 - used : 120 - used);
    felt_sha256_add(sha, length, sizeof length);
    for (unsigned i = 0; i < FELT_DIGEST; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

static void begin_with(struct felt_sha256 *sha, const uint8_t *key, uint8_t with)
{
    uint8_t padded[FELT_SHA256_BLOCK];

    for (unsigned i = 0; i < sizeof padded; i++)
        padded[i] = key[i] ^ with;
    felt_sha256_begin(sha);
    felt_sha256_add(sha, padded, sizeof padded);
}

void felt_hmac_begin(struct felt_hmac *hmac, const uint8_t *key, size_t length)
{
    memset(hmac->key, 0, sizeof hmac->key);
    if (length > sizeof hmac->key) {
        felt_sha256_begin(&hmac->inner);
        felt_sha256_add(&hmac->inner, key, length);
        felt_sha256_end(&hmac->inner, hmac->key);
    } else {
        memcpy(hmac->key, key, length);
    }
    begin_with(&hmac->inner, hmac->key, 0x36);
}

void felt_hmac_add(struct felt_hmac *hmac, const void *bytes, size_t count)
{
    felt_sha256_add(&hmac->inner, bytes, count);
}

void felt_hmac_end(struct felt_hmac *hmac, uint8_t digest[FELT_DIGEST])
{
    uint8_t inner[FELT_DIGEST];

    felt_sha256_end(&hmac->inner, inner);
    begin_with(&hmac->inner, hmac->key, 0x5c);
    felt_sha256_add(&hmac->inner, inner, sizeof inner);
    felt_sha256_end(&hmac->inner, digest);
}
