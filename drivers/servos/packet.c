/* Questions and orders in any kind of packet, and the search for answers in received bytes. */
#include "packet.h"

#include <string.h>

/* A number of the size of an address. */
static size_t put(const struct robo__servos_packets *p, uint16_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    if (p->address > 1)
        out[1] = (uint8_t)(value >> 8);
    return p->address;
}

/* The address and the number of n registers. */
static size_t put_block(const struct robo__servos_packets *p, uint16_t address, size_t n,
                        uint8_t *out)
{
    const size_t at = put(p, address, out);
    return at + put(p, (uint16_t)n, out + at);
}

size_t robo__servos_read(const struct robo__servos_packets *p, uint8_t id, uint16_t address,
                         size_t n, uint8_t *out)
{
    uint8_t param[4];
    size_t at = put_block(p, address, n, param);
    return p->encode(id, ROBO__SERVOS_READ, param, at, out);
}

size_t robo__servos_write(const struct robo__servos_packets *p, uint8_t id, uint16_t address,
                          const uint8_t *data, size_t n, uint8_t *out)
{
    uint8_t param[ROBO__SERVOS_PARAMS];
    size_t at = put(p, address, param);
    if (n > sizeof param - at)
        return 0;
    memcpy(param + at, data, n);
    return p->encode(id, ROBO__SERVOS_WRITE, param, at + n, out);
}

size_t robo__servos_sync_read(const struct robo__servos_packets *p, uint16_t address, size_t n,
                              const uint8_t *id, size_t ids, uint8_t *out)
{
    uint8_t param[ROBO__SERVOS_PARAMS];
    size_t at = put_block(p, address, n, param);
    if (ids > sizeof param - at)
        return 0;
    memcpy(param + at, id, ids);
    return p->encode(ROBO__SERVOS_ALL, ROBO__SERVOS_SYNC_READ, param, at + ids, out);
}

size_t robo__servos_sync_write(const struct robo__servos_packets *p, uint16_t address, size_t n,
                               const uint8_t *id, const uint8_t *data, size_t ids, uint8_t *out)
{
    uint8_t param[ROBO__SERVOS_PARAMS];
    size_t at = put_block(p, address, n, param);
    if (ids * (n + 1) > sizeof param - at)
        return 0;
    for (size_t i = 0; i < ids; i++) {
        param[at++] = id[i];
        memcpy(param + at, data + i * n, n);
        at += n;
    }
    return p->encode(ROBO__SERVOS_ALL, ROBO__SERVOS_SYNC_WRITE, param, at, out);
}

static void drop(struct robo__servos_input *input, size_t n)
{
    input->count -= n;
    memmove(input->bytes, input->bytes + n, input->count);
}

int robo__servos_next_answer(const struct robo__servos_packets *p, struct robo__servos_input *input,
                             const uint8_t **at, size_t *left, struct robo__servos_status *out)
{
    for (;;) {
        const int n =
            input->count > 0 ? p->look(input->bytes, input->count, out) : ROBO__SERVOS_MORE;
        if (n > 0) {
            drop(input, (size_t)n);
            return 1;
        }
        if (n < 0 || input->count == sizeof input->bytes) {
            drop(input, 1);
            input->noise++;
        } else if (*left == 0) {
            return 0;
        } else {
            input->bytes[input->count++] = *(*at)++;
            (*left)--;
        }
    }
}
