/* Any bytes, at any instants, for a simulated bus of servos, of either protocol; between them whole packets with a right checksum
 * and any contents, since the others are seldom understood. The first byte decides the protocol and the faults. The bus must keep
 * its promises: instants on the wire rise, what is due comes, and motors stay finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../servo_bus/faults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t make_feetech(const uint8_t *data, size_t n, uint8_t *out)
{
    memcpy(out, (uint8_t[]){ 0xFF, 0xFF, data[0], (uint8_t)n },
           4); /* id, instruction, parameters */
    memcpy(out + 4, data + 1, n - 1);
    uint8_t sum = 0;
    for (size_t i = 2; i < n + 3; i++)
        sum = (uint8_t)(sum + out[i]);
    out[n + 3] = (uint8_t)~sum;
    return n + 4;
}

static size_t make_dynamixel(const uint8_t *data, size_t n, uint8_t *out)
{
    memcpy(out, (uint8_t[]){ 0xFF, 0xFF, 0xFD, 0, data[0], (uint8_t)(n + 1), 0 }, 7);
    memcpy(out + 7, data + 1, n - 1);
    uint16_t crc = 0;
    for (size_t i = 0; i < n + 6; i++) {
        crc = (uint16_t)(crc ^ out[i] << 8);
        for (int k = 0; k < 8; k++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x8005 : crc << 1);
    }
    out[n + 6] = (uint8_t)crc;
    out[n + 7] = (uint8_t)(crc >> 8);
    return n + 8;
}

static void look(struct robo__servo_bus *bus, robo_time now, robo_time *last)
{
    uint8_t bytes[64];
    robo_time ends[64];
    size_t n;
    while ((n = robo__servo_bus_send(bus, now, bytes, ends, 64)) > 0)
        for (size_t i = 0; i < n; i++) {
            if (ends[i] < *last || ends[i] > now)
                abort();
            *last = ends[i];
        }
    if (robo__servo_bus_due(bus) < now - 1000000)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const servos[] = { "sts3215:1-3", "xl430:1-2", "xl330:1-2", "xm430:1-2" };
    if (size < 2)
        return 0;
    unsigned kind = data[0] % 4;
    struct robo__servo_bus_options options = { .return_delay = data[0] & 4 ? -1 : 0 };
    struct robo__servo_bus *bus = robo__servo_bus_open(&options, 0);
    char why[ROBO__SERVO_BUS_WHY];
    if (!bus || robo__servo_bus_add(bus, servos[kind], why) < 0)
        abort();
    if (data[0] & 8)
        robo__servo_bus_add_random_faults(bus, data[0], 600);
    robo_time now = 0, last = 0;
    data++;
    size--;
    while (size >= 2) { /* how, how many, bytes */
        uint8_t how = data[0], packet[300];
        size_t n = data[1] % 64;
        data += 2;
        size -= 2;
        n = n < size ? n : size;
        if (how & 1 && n >= 2)
            robo__servo_bus_receive(bus, now, packet,
                                    (kind == 0 ? make_feetech : make_dynamixel)(data, n, packet));
        else if (how & 2 && n > 0)
            robo__servo_bus_touch(
                bus, 1, now,
                &(struct robo__servo_bus_touch){ .is_turned = true, .angle = data[0] - 100 });
        else
            robo__servo_bus_receive(bus, now, data, n);
        data += n;
        size -= n;
        now += (robo_time)(how >> 2) * (how >> 2) * (how >> 2) * 800; /* up to 0.2 s */
        look(bus, now, &last);
        struct robo__servo_bus_view view;
        for (unsigned id = 1; id < 4; id++)
            if (robo__servo_bus_view(bus, id, now, &view) == 0 &&
                (!isfinite(view.angle) || !isfinite(view.temperature) || fabs(view.load) > 1 ||
                 fabs(view.speed) > 20))
                abort();
    }
    robo__servo_bus_close(bus);
    return 0;
}
