/* Any bytes to the driver's side of a conversation with a Player server, in pieces; requests go out between them, and scans are read. */
#include <math.h>
#include <stdlib.h>

#include "player/client_wire.h"
#include "player/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

/* A range is not known, or beyond, or between nothing and what robo_sensed takes. */
static void read_scan(const struct robo__scan *scan, const struct robo__player_array *ranges)
{
    const struct robo_sensor laser = { .kind = "laser", .count = 61, .fov = 4 };
    double value[61];
    robo__scan_read(scan, ranges, &laser, value);
    for (unsigned i = 0; i < 61; i++)
        if (!isnan(value[i]) && value[i] != INFINITY && !(value[i] > 0 && value[i] <= 1e9))
            abort();
}

static void heard(void *owner, enum robo__far_role role, const struct robo__player_header *header,
                  const struct robo__player_body *body)
{
    double sum = 0;
    (void)owner;
    if (role >= ROBO__FAR_ROLES)
        abort();
    for (unsigned i = 0; i < body->arrays; i++)
        for (uint32_t k = 0; k < body->array[i].count && k < 64; k++)
            sum += robo__player_item(&body->array[i], k, 0);
    if (role == ROBO__FAR_LASER && header->type == ROBO__PLAYER_DATA) {
        const bool stamped = header->interf == ROBO__PLAYER_RANGER && header->subtype == 2;
        const struct robo__scan scan =
            stamped ? robo__scan_of_ranger(body, 11) : robo__scan_of_laser(body);
        read_scan(&scan, &body->array[0]);
    }
    if (sum > 1e300)
        return;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char banner[ROBO__PLAYER_BANNER] = "Player v.3.1.1";
    struct robo__far far = { .motors = n % 2, .heard = heard };
    uint8_t out[ROBO__FAR_SENT];
    size_t at = 0, end = 0;
    robo_time now = 1;
    for (int i = 0; i < ROBO__FAR_ROLES; i++) {
        static const uint16_t interf[] = { 4, 8, 3, 5, 6, 14, 2, 40 };
        const bool scans = i == ROBO__FAR_LASER && n / 2 % 2; /* it is asked for its setting, too */
        far.device[i].interf = scans ? 62 : interf[i];
    }
    robo__far_begin(&far);
    if (n > 0 && in[0] & 1) /* else the input has a banner of its own */
        robo__far_feed(&far, (const uint8_t *)banner, sizeof banner, now);
    while (end < n) {
        end += 1 + in[end] % 97;
        end = end < n ? end : n;
        const ptrdiff_t used = robo__far_feed(&far, in + at, end - at, now);
        if (used < 0 || robo__far_next(&far, now += 10000000, out) < 0)
            break;
        if ((size_t)used > end - at)
            abort();
        at += (size_t)used;
    }
    return 0;
}
