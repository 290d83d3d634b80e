/* The requests of a client of USARSim's image server, byte by byte: "OK" is the next whole picture, "U" and four numbers of 32 bits, the
 * greatest byte first, are a rectangle of it. All other bytes are skipped, so "OK\r\n" is a request, too. Pure: no memory but its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a picture; pixels from its left and its top. */
struct robo__upis_area {
    uint32_t x, y, width, height;
};

struct robo__upis_ask {
    bool whole;
    struct robo__upis_area area; /* unless it is whole */
};

/* Zeros at first. */
struct robo__upis_reader {
    bool o; /* the last byte may begin an OK */
    uint8_t numbers[16];
    size_t left; /* bytes of the numbers that have yet to come */
};

/* Reads up to the end of the next request; *used is how many bytes that took. false: more has to come, and all were taken. */
bool robo__upis_next(struct robo__upis_reader *reader, const uint8_t *in, size_t n, size_t *used,
                     struct robo__upis_ask *ask);

/* The part of an area that is within a picture; 0 wide and 0 high: none. */
struct robo__upis_area robo__upis_clip(struct robo__upis_area area, unsigned width,
                                       unsigned height);
