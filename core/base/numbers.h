/* Numbers as VRML97 writes them, from text. The results are those of strtof and strtod, to the last bit, whatever the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum robo__number {
    ROBO__NUMBER_OK,
    ROBO__NUMBER_NONE, /* it is none */
    ROBO__NUMBER_LARGE /* it is one, but beyond the type, or of more than 500 digits */
};

/* The number that begins at *at, which then is where it ends. Nothing may follow that could belong to it, as in 1.0.0. */
enum robo__number robo__number_float(const uint8_t **at, const uint8_t *end, float *x);
enum robo__number robo__number_double(const uint8_t **at, const uint8_t *end, double *x);
/* Whether the n bytes are exactly one decimal number; false: they are not, and *x stays. */
bool robo__number_is(const char *text, size_t n, double *x);
/* Decimal, -2147483648 to 2147483647, or hexadecimal, up to 0xFFFFFFFF as the same 32 bits. */
enum robo__number robo__number_integer(const uint8_t **at, const uint8_t *end, int32_t *x);
