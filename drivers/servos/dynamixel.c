/* The packets of Dynamixel protocol 2.0. */
#include "dynamixel.h"

#include <stdbool.h>
#include <string.h>

/* header, id, length; the instruction of an answer */
enum { HEAD = 7, ANSWER = 0x55 };

uint16_t robo__dynamixel_crc(const uint8_t *bytes, size_t n)
{
    unsigned crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? crc << 1 ^ 0x8005 : crc << 1;
    }
    return (uint16_t)crc;
}

/* Whether the bytes before `at` are those behind which an FD is stuffed. */
static bool is_header(const uint8_t *bytes, size_t at)
{
    return at >= HEAD + 3 && bytes[at - 3] == 0xFF && bytes[at - 2] == 0xFF &&
           bytes[at - 1] == 0xFD;
}

static size_t encode(uint8_t id, uint8_t instruction, const uint8_t *param, size_t n, uint8_t *out)
{
    size_t at = HEAD;
    memcpy(out, (const uint8_t[]){ 0xFF, 0xFF, 0xFD, 0x00, id }, 5);
    out[at++] = instruction;
    for (size_t i = 0; i < n; i++) {
        out[at++] = param[i];
        if (is_header(out, at))
            out[at++] = 0xFD;
    }
    const size_t length = at - HEAD + 2;
    out[5] = (uint8_t)length;
    out[6] = (uint8_t)(length >> 8);
    const uint16_t crc = robo__dynamixel_crc(out, at);
    out[at++] = (uint8_t)crc;
    out[at++] = (uint8_t)(crc >> 8);
    return at;
}

static int look(const uint8_t *bytes, size_t n, struct robo__servos_status *out)
{
    static const uint8_t header[4] = { 0xFF, 0xFF, 0xFD, 0x00 };
    if (memcmp(bytes, header, n < sizeof header ? n : sizeof header) != 0)
        return ROBO__SERVOS_NOISE;
    if (n < HEAD)
        return ROBO__SERVOS_MORE;
    const size_t length = bytes[5] | (size_t)bytes[6] << 8, end = HEAD + length;
    if (length < 4 || length > 2 * ROBO__SERVOS_DATA || bytes[4] >= ROBO__SERVOS_ALL)
        return ROBO__SERVOS_NOISE;
    if (n < end)
        return ROBO__SERVOS_MORE;
    if (robo__dynamixel_crc(bytes, end - 2) != (bytes[end - 2] | bytes[end - 1] << 8))
        return ROBO__SERVOS_DAMAGED;
    if (bytes[HEAD] != ANSWER) /* an instruction: an adapter that echoes */
        return ROBO__SERVOS_NOISE;
    out->id = bytes[4];
    out->error = bytes[HEAD + 1];
    out->count = 0;
    for (size_t i = HEAD + 2; i < end - 2; i++) {
        if (is_header(bytes, i) && bytes[i] == 0xFD)
            continue;
        if (out->count == sizeof out->data)
            return ROBO__SERVOS_NOISE;
        out->data[out->count++] = bytes[i];
    }
    return (int)end;
}

const struct robo__servos_packets robo__dynamixel_packets = {
    .encode = encode, .look = look, .address = 2, .frame = HEAD + 3, .answer = HEAD + 4
};
