/* The packets of Feetech servos, and of Dynamixel protocol 1.0. */
#include "feetech.h"

#include <string.h>

/* header, id, length; an instruction or alarms; checksum */
enum { HEAD = 4, FRAME = HEAD + 2 };

static uint8_t checksum(const uint8_t *bytes, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += bytes[i];
    return (uint8_t)~sum;
}

static size_t encode(uint8_t id, uint8_t instruction, const uint8_t *param, size_t n, uint8_t *out)
{
    out[0] = out[1] = 0xFF;
    out[2] = id;
    out[3] = (uint8_t)(n + 2);
    out[4] = instruction;
    if (n > 0)
        memcpy(out + 5, param, n);
    out[5 + n] = checksum(out + 2, 3 + n);
    return FRAME + n;
}

static int look(const uint8_t *bytes, size_t n, struct robo__servos_status *out)
{
    if (bytes[0] != 0xFF || (n > 1 && bytes[1] != 0xFF))
        return ROBO__SERVOS_NOISE;
    /* an answer is of one servo; a third FF may be the second of a header */
    if (n > 2 && bytes[2] >= ROBO__SERVOS_ALL)
        return ROBO__SERVOS_NOISE;
    if (n > 3 && (bytes[3] < 2 || bytes[3] > ROBO__SERVOS_DATA + 2))
        return ROBO__SERVOS_NOISE;
    if (n <= 3 || n < HEAD + (size_t)bytes[3])
        return ROBO__SERVOS_MORE;
    const size_t length = HEAD + (size_t)bytes[3];
    if (bytes[length - 1] != checksum(bytes + 2, length - 3))
        return ROBO__SERVOS_DAMAGED;
    out->id = bytes[2];
    out->error = bytes[4];
    out->count = length - FRAME;
    memcpy(out->data, bytes + 5, out->count);
    return (int)length;
}

const struct robo__servos_packets robo__feetech_packets = {
    .encode = encode, .look = look, .address = 1, .frame = FRAME, .answer = FRAME
};
