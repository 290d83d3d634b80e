/* Packets on a bus of servos. A kind of packet is a row of functions (feetech.h, dynamixel.h); what is common to all kinds is in packet.c: the
 * questions that the driver asks, and the search for answers in received bytes. Pure functions, for any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum robo__servos_instruction {
    ROBO__SERVOS_PING = 0x01,
    ROBO__SERVOS_READ = 0x02,
    ROBO__SERVOS_WRITE = 0x03,
    ROBO__SERVOS_REBOOT = 0x08,
    ROBO__SERVOS_SYNC_READ = 0x82,
    ROBO__SERVOS_SYNC_WRITE = 0x83
};

enum {
    ROBO__SERVOS_ALL = 0xFE, /* the id of all servos, which do not answer */
    ROBO__SERVOS_MOST = 32,  /* servos of a bus: so many fit into a sync write of 6 bytes each */
    ROBO__SERVOS_PARAMS = 250,
    ROBO__SERVOS_FRAME = 400, /* bytes of the longest packet that is sent, stuffed */
    ROBO__SERVOS_DATA =
        64 /* bytes of the longest answer; a longer one is not expected, and is noise */
};

/* An answer: the id of the servo, its alarms, and the bytes of its registers. */
struct robo__servos_status {
    uint8_t id, error;
    size_t count;
    uint8_t data[ROBO__SERVOS_DATA];
};

/* Results of `look` that are no length. */
enum { ROBO__SERVOS_MORE = 0, ROBO__SERVOS_NOISE = -1, ROBO__SERVOS_DAMAGED = -2 };

struct robo__servos_packets {
    /* Writes an instruction of n parameters, at most ROBO__SERVOS_PARAMS; returns its length, at most ROBO__SERVOS_FRAME. */
    size_t (*encode)(uint8_t id, uint8_t instruction, const uint8_t *param, size_t n, uint8_t *out);
    /* Looks at the begin of these bytes: the length of the answer that is there; ROBO__SERVOS_MORE: it may become one;
     * ROBO__SERVOS_NOISE: no answer begins there; ROBO__SERVOS_DAMAGED: one does, and its checksum is wrong. */
    int (*look)(const uint8_t *bytes, size_t n, struct robo__servos_status *out);
    size_t address; /* bytes of an address and of a number of bytes, little-endian */
    size_t frame;   /* bytes of an instruction beside its parameters, */
    size_t answer;  /* and of an answer beside its data */
};

/* The questions and orders of the driver; out has room for ROBO__SERVOS_FRAME. They return their length. */
size_t robo__servos_read(const struct robo__servos_packets *p, uint8_t id, uint16_t address,
                         size_t n, uint8_t *out);
size_t robo__servos_write(const struct robo__servos_packets *p, uint8_t id, uint16_t address,
                          const uint8_t *data, size_t n, uint8_t *out);
size_t robo__servos_sync_read(const struct robo__servos_packets *p, uint16_t address, size_t n,
                              const uint8_t *id, size_t ids, uint8_t *out);
/* data: n bytes of each id; 0 if that is too much for one packet. */
size_t robo__servos_sync_write(const struct robo__servos_packets *p, uint16_t address, size_t n,
                               const uint8_t *id, const uint8_t *data, size_t ids, uint8_t *out);

/* Received bytes of an answer that is not complete. A zeroed one is empty. */
struct robo__servos_input {
    uint8_t bytes[2 * ROBO__SERVOS_DATA + 16]; /* the longest answer, stuffed */
    size_t count;
    size_t noise; /* bytes that were left out */
};

/* Reads the next answer, and moves `at` and `left` on behind the bytes that were used. 1; 0: all bytes are used, and there
 * is none yet. Bytes that belong to no answer are left out one by one, so that an answer behind noise is found. */
int robo__servos_next_answer(const struct robo__servos_packets *p, struct robo__servos_input *input,
                             const uint8_t **at, size_t *left, struct robo__servos_status *out);
