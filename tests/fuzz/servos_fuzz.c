/* What servos answer: any bytes, in pieces. An answer that is found is one that its protocol encodes to the same bytes again. The first byte chooses
 * the protocol and the size of the pieces. */
#include <stdlib.h>
#include <string.h>

#include "servos/dynamixel.h"
#include "servos/feetech.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Encodes it as an instruction of the number that answers have in its place. */
static void answer_again(const struct robo__servos_packets *p, const struct robo__servos_status *s)
{
    uint8_t param[ROBO__SERVOS_DATA + 1] = { s->error }, out[ROBO__SERVOS_FRAME];
    const int own = p == &robo__dynamixel_packets; /* its alarms are the first parameter */
    struct robo__servos_status again;
    if (s->count > sizeof s->data)
        abort();
    memcpy(param + own, s->data, s->count);
    const size_t n = p->encode(s->id, own ? 0x55 : s->error, param, s->count + (size_t)own, out);
    if (p->look(out, n, &again) != (int)n || again.id != s->id || again.error != s->error ||
        again.count != s->count || memcmp(again.data, s->data, s->count) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct robo__servos_packets *p =
        data[0] & 1 ? &robo__dynamixel_packets : &robo__feetech_packets;
    const size_t step = 1 + (data[0] >> 1) % 16;
    struct robo__servos_input input = { .count = 0 };
    struct robo__servos_status status;
    for (size_t i = 1; i < size; i += step) {
        const uint8_t *at = data + i;
        size_t left = i + step < size ? step : size - i;
        while (robo__servos_next_answer(p, &input, &at, &left, &status))
            answer_again(p, &status);
        if (left != 0)
            abort();
    }
    return 0;
}
