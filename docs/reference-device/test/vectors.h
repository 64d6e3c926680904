/* The test vectors as constants; vectors.c is written by felt. */
#ifndef FELT_VECTORS_H
#define FELT_VECTORS_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *at;
    size_t count;
};

struct vector_sha256 { struct bytes bytes, digest; unsigned times; };
struct vector_hmac { struct bytes key, bytes, digest; };
struct vector_check { struct bytes bytes, check; };
struct vector_stuffing { struct bytes block, stuffed; };
struct vector_message { struct bytes payload, frame; unsigned seq; };
struct vector_no_message { struct bytes payload; };
struct vector_no_frame { struct bytes bytes; };

enum step { STEP_FELT, STEP_DEVICE, STEP_TELL, STEP_RESTART };
struct vector_step { enum step step; struct bytes bytes; };

extern const struct vector_sha256 vectors_sha256[];
extern const struct vector_hmac vectors_hmac[];
extern const struct vector_check vectors_check[];
extern const struct vector_stuffing vectors_stuffing[];
extern const struct vector_message vectors_message[];
extern const struct vector_no_message vectors_no_message[];
extern const struct vector_no_frame vectors_no_frame[];
extern const struct vector_step vectors_a_line_of_its_own[], vectors_a_bus[];
extern const unsigned vectors_sha256_count, vectors_hmac_count, vectors_check_count, vectors_stuffing_count,
    vectors_message_count, vectors_no_message_count, vectors_no_frame_count, vectors_a_line_of_its_own_count,
    vectors_a_bus_count;
extern const struct bytes vector_key, vector_tag_key, vector_faces_key, vector_proof, vector_identity,
    vector_felt_nonce, vector_faces, vector_covered, vector_device_nonce_1, vector_device_nonce_2;
extern const char vector_firmware[];

#endif
