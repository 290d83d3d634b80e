/* Made by spec/gen.lua from spec/; do not edit. The kinds of sensors. */
#include "body/senses.h"

const double robo__own_rate = 10;
const struct robo__sense_kind robo__sense_kinds[] = {
    { .name = "sonar", .values = 0, .rate = 10, .low = 0, .high = 5 },
    { .name = "infrared", .values = 0, .rate = 25, .low = 0.05, .high = 0.8 },
    { .name = "laser", .values = 0, .rate = 10, .low = 0, .high = 8 },
    { .name = "bumper", .values = 0, .rate = 50, .low = 0, .high = 0 },
    { .name = "button", .values = 0, .rate = 25, .low = 0, .high = 0 },
    { .name = "contact", .values = 0, .rate = 50, .low = 0, .high = 0 },
    { .name = "accelerometer", .values = 3, .rate = 100, .low = 0, .high = 0 },
    { .name = "gyroscope", .values = 3, .rate = 100, .low = 0, .high = 0 },
    { .name = "imu", .values = 9, .rate = 100, .low = 0, .high = 0 },
    { .name = "compass", .values = 1, .rate = 10, .low = 0, .high = 0 },
    { .name = "force", .values = 6, .rate = 100, .low = 0, .high = 0 },
    { .name = "gps", .values = 3, .rate = 5, .low = 0, .high = 0 },
    { .name = "pose", .values = 6, .rate = 50, .low = 0, .high = 0 },
    { .name = "encoder", .values = 0, .rate = 50, .low = 0, .high = 0 },
    { .name = "odometry", .values = 3, .rate = 50, .low = 0, .high = 0 },
    { .name = "battery", .values = 3, .rate = 1, .low = 0, .high = 0 },
    { .name = "temperature", .values = 1, .rate = 1, .low = 0, .high = 0 },
    { .name = NULL },
};
