/* The models: registers by published tables; speeds, currents and supplies without a source are decisions (spec/servos.md). */
#include <string.h>
#include <strings.h>

#include "inside.h"

/* clang-format off */
#define RAM(at, bytes, name, preset, least, most) { at, bytes, ROBO__SBUS_RAM, name, preset, least, most, 0 }
#define KEPT(at, bytes, name, preset, least, most) { at, bytes, ROBO__SBUS_KEPT, name, preset, least, most, 0 }
#define READ(at, bytes, name, preset) { at, bytes, ROBO__SBUS_READ, name, preset, 0, 0, 0 }

static const struct robo__sbus_row sts3215_rows[] = {
    READ(0, 1, "firmware major", 3), READ(1, 1, "firmware minor", 10), READ(3, 2, "model", 777), KEPT(5, 1, "id", 1, 0, 253),
    KEPT(6, 1, "baud", 0, 0, 7), KEPT(7, 1, "return delay", 250, 0, 254), KEPT(8, 1, "response level", 1, 0, 1),
    KEPT(9, 2, "least angle", 0, 0, 4095), KEPT(11, 2, "greatest angle", 4095, 0, 4095),
    KEPT(13, 1, "greatest temperature", 70, 0, 100), KEPT(14, 1, "greatest voltage", 80, 0, 254),
    KEPT(15, 1, "least voltage", 40, 0, 254), KEPT(16, 2, "greatest torque", 1000, 0, 1000), KEPT(18, 1, "phase", 12, 0, 255),
    KEPT(19, 1, "unload mask", 44, 0, 255), KEPT(20, 1, "LED mask", 47, 0, 255), KEPT(21, 1, "P", 32, 0, 255),
    KEPT(22, 1, "D", 32, 0, 255), KEPT(23, 1, "I", 0, 0, 255), KEPT(28, 2, "protection current", 500, 0, 2047),
    { 31, 2, ROBO__SBUS_KEPT, "homing offset", 0, 0, 2047, 11 }, KEPT(33, 1, "mode", 0, 0, 3),
    KEPT(34, 1, "holding torque", 20, 0, 100), KEPT(35, 1, "protection time", 200, 0, 254),
    KEPT(36, 1, "overload torque", 80, 0, 100), RAM(40, 1, "torque enable", 0, 0, 128), RAM(41, 1, "acceleration", 0, 0, 254),
    { 42, 2, ROBO__SBUS_RAM, "goal position", 0, 0, 32767, 15 }, RAM(44, 2, "goal time", 0, 0, 65535),
    { 46, 2, ROBO__SBUS_RAM, "goal speed", 0, 0, 32767, 15 }, RAM(48, 2, "torque limit", 1000, 0, 1000),
    RAM(55, 1, "lock", 1, 0, 1), READ(56, 2, "present position", 0), READ(58, 2, "present speed", 0),
    READ(60, 2, "present load", 0), READ(62, 1, "present voltage", 0), READ(63, 1, "present temperature", 0),
    READ(65, 1, "status", 0), READ(66, 1, "moving", 0), READ(67, 2, "target position", 0), READ(69, 2, "present current", 0),
    READ(71, 2, "target position", 0)
};

/* Dynamixel X. What differs: number, last index of the baud rate, greatest temperature, greatest and least voltage, velocity
 * limit, shutdown, and bits of the drive mode. */
#define X_ROWS(number, bauds, heat, volts_most, volts_least, velocity, shutdown, drive) \
    READ(0, 2, "model", number), READ(6, 1, "firmware", 48), KEPT(7, 1, "id", 1, 0, 252), KEPT(8, 1, "baud", 1, 0, bauds), \
    KEPT(9, 1, "return delay", 250, 0, 254), KEPT(10, 1, "drive mode", 0, 0, drive), KEPT(11, 1, "operating mode", 3, 0, 16), \
    KEPT(20, 4, "homing offset", 0, -1044479, 1044479), KEPT(31, 1, "temperature limit", heat, 0, 100), \
    KEPT(32, 2, "greatest voltage", volts_most, 31, volts_most), KEPT(34, 2, "least voltage", volts_least, 31, volts_most), \
    KEPT(36, 2, "PWM limit", 885, 0, 885), KEPT(44, 4, "velocity limit", velocity, 0, 2047), \
    KEPT(48, 4, "greatest position", 4095, 0, 4095), KEPT(52, 4, "least position", 0, 0, 4095), \
    KEPT(63, 1, "shutdown", shutdown, 0, 255), RAM(64, 1, "torque enable", 0, 0, 1), RAM(65, 1, "LED", 0, 0, 1), \
    RAM(68, 1, "status return level", 2, 0, 2), READ(70, 1, "hardware error", 0), RAM(76, 2, "velocity I", 1000, 0, 16383), \
    RAM(78, 2, "velocity P", 100, 0, 16383), RAM(80, 2, "position D", 0, 0, 16383), RAM(82, 2, "position I", 0, 0, 16383), \
    RAM(84, 2, "position P", 640, 0, 16383), RAM(88, 2, "feed-forward 2", 0, 0, 16383), \
    RAM(90, 2, "feed-forward 1", 0, 0, 16383), RAM(98, 1, "bus watchdog", 0, 0, 127), RAM(100, 2, "goal PWM", 885, -885, 885), \
    RAM(104, 4, "goal velocity", 0, -2047, 2047), RAM(108, 4, "profile acceleration", 0, 0, 32767), \
    RAM(112, 4, "profile velocity", 0, 0, 32767), RAM(116, 4, "goal position", 0, -1048575, 1048575), \
    READ(122, 1, "moving", 0), READ(123, 1, "moving status", 0), READ(124, 2, "present PWM", 0), \
    READ(128, 4, "present velocity", 0), READ(132, 4, "present position", 0), READ(144, 2, "present voltage", 0), \
    READ(146, 1, "present temperature", 0)
#define X_CURRENT_ROWS(most) KEPT(38, 2, "current limit", most, 0, most), \
    RAM(102, 2, "goal current", most, -(most), most), READ(126, 2, "present current", 0)
/* clang-format on */

static const struct robo__sbus_row xl430_rows[] = { X_ROWS(1060, 7, 72, 160, 65, 265, 52, 13),
                                                    READ(126, 2, "present load", 0) };
static const struct robo__sbus_row xl330_rows[] = { X_ROWS(1200, 6, 70, 70, 35, 445, 53, 13),
                                                    X_CURRENT_ROWS(1750) };
static const struct robo__sbus_row xm430_rows[] = { X_ROWS(1020, 7, 80, 160, 95, 200, 52, 13),
                                                    X_CURRENT_ROWS(1193) };

#define ROWS(table) table, sizeof table / sizeof table[0]

static const struct robo__sbus_model models[] = {
    { "sts3215", "STS3215", &robo__sbus_feetech, ROWS(sts3215_rows), 8, 3400, 7.4, 2.7, 0.0065 },
    { "xl430", "XL430-W250", &robo__sbus_dynamixel, ROWS(xl430_rows), 8, 4160, 12.0, 1.4, 0 },
    { "xl330", "XL330-M288", &robo__sbus_dynamixel, ROWS(xl330_rows), 7, 7000, 5.0, 1.5, 0.001 },
    { "xm430", "XM430-W350", &robo__sbus_dynamixel, ROWS(xm430_rows), 8, 3140, 12.0, 2.3, 0.00269 },
};

const struct robo__sbus_model *robo__sbus_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcasecmp(models[i].name, name) == 0 || strcasecmp(models[i].title, name) == 0)
            return &models[i];
    return NULL;
}

const struct robo__sbus_row *robo__sbus_row_of(const struct robo__sbus_model *model,
                                               unsigned address)
{
    for (size_t i = 0; i < model->count; i++)
        if (address >= model->rows[i].at && address < model->rows[i].at + model->rows[i].size)
            return &model->rows[i];
    return NULL;
}
