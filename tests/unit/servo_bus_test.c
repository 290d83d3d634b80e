/* The simulated bus of servos, in virtual time. Packets marked "published" are those of the makers' documentation, byte for byte;
 * durations of cycles are computed from bytes of 10 bits. */
#include <math.h>
#include <string.h>

#include "../hex.h"
#include "../test.h"
#include "robotalk.h"
#include "../servo_bus/faults.h"

static struct robo__servo_bus *bus;
static robo_time now;
static uint8_t heard[8192];
static robo_time ends[8192];
static size_t heard_count;

static const double TICK = 2 * M_PI / 4096;
static const robo_time MS = 1000000;

static int end_bus(void **state)
{
    robo__servo_bus_close(bus);
    bus = NULL;
    return 0;
}

FIXTURE(NULL, end_bus);

static void open_with(const char *servos, struct robo__servo_bus_options options)
{
    char why[ROBO__SERVO_BUS_WHY] = "";
    now = 1000 * MS;
    robo__servo_bus_close(bus);
    bus = robo__servo_bus_open(&options, now);
    assert_non_null(bus);
    if (robo__servo_bus_add(bus, servos, why) < 0)
        fail_msg("%s", why);
}

static void open_bus(const char *servos)
{
    open_with(servos, (struct robo__servo_bus_options){ .return_delay = 0 });
}

static void run_for(double seconds)
{
    now += (robo_time)(seconds * 1e9);
    heard_count += robo__servo_bus_send(bus, now, heard + heard_count, ends + heard_count,
                                        sizeof heard - heard_count);
}

/* Sends bytes and waits until all is quiet. */
static void say(const uint8_t *bytes, size_t n)
{
    heard_count = 0;
    assert_int_equal(robo__servo_bus_receive(bus, now, bytes, n), n);
    robo_time due;
    while ((due = robo__servo_bus_due(bus)) != ROBO_NEVER)
        run_for((double)(due - now) * 1e-9 + 1e-9);
}

static void say_hex(const char *hex)
{
    uint8_t bytes[512];
    say(bytes, bytes_of(hex, bytes));
}

static void expect(const char *hex)
{
    uint8_t bytes[512];
    size_t n = bytes_of(hex, bytes);
    assert_int_equal(heard_count, n);
    assert_memory_equal(heard, bytes, n);
}

static void expect_silence(void)
{
    assert_int_equal(heard_count, 0);
}

static struct robo__servo_bus_view view_of(unsigned id)
{
    struct robo__servo_bus_view view;
    assert_int_equal(robo__servo_bus_view(bus, id, now, &view), 0);
    return view;
}

static uint32_t reg(unsigned id, unsigned address, unsigned size)
{
    uint32_t x;
    assert_int_equal(robo__servo_bus_register(bus, id, now, address, size, &x), 0);
    return x;
}

/* A fault in the next millisecond: KIND:ID, and how long. */
static void fault_now(const char *kind_and_id, double lasts)
{
    char text[80], why[ROBO__SERVO_BUS_WHY] = "";
    snprintf(text, sizeof text, lasts > 0 ? "%s@%.4f+%.4f" : "%s@%.4f", kind_and_id,
             (double)(now - 1000 * MS) * 1e-9, lasts);
    if (robo__servo_bus_add_fault(bus, text, why) < 0)
        fail_msg("%s", why);
    run_for(0.0021);
}

static void touch(unsigned id, struct robo__servo_bus_touch t)
{
    assert_int_equal(robo__servo_bus_touch(bus, id, now, &t), 0);
}

static void turn(unsigned id, double angle)
{
    touch(id, (struct robo__servo_bus_touch){ .is_turned = true, .angle = angle });
}

/* ---- Feetech ---- */

static void feetech(unsigned id, unsigned inst, const uint8_t *p, size_t n)
{
    uint8_t b[300] = { 0xFF, 0xFF, (uint8_t)id, (uint8_t)(n + 2), (uint8_t)inst };
    for (size_t i = 0; i < n; i++)
        b[5 + i] = p[i];
    uint8_t sum = 0;
    for (size_t i = 2; i < n + 5; i++)
        sum += b[i];
    b[n + 5] = ~sum;
    say(b, n + 6);
}

static void f_write(unsigned id, unsigned address, unsigned size, unsigned x)
{
    feetech(id, 3, (uint8_t[]){ address, x, x >> 8 }, 1 + size);
}

/* Reads and returns a number; -1: no answer, -2: a wrong checksum. */
static int f_read(unsigned id, unsigned address, unsigned size)
{
    feetech(id, 2, (uint8_t[]){ address, size }, 2);
    uint8_t sum = 0;
    if (heard_count != 6 + size)
        return heard_count == 0 ? -1 : -3;
    for (size_t i = 2; i < heard_count; i++)
        sum += heard[i];
    return sum != 0xFF ? -2 : heard[5] | (size > 1 ? heard[6] << 8 : 0);
}

TEST(feetech_published_packets)
{
    open_bus("sts3215:1-6");
    say_hex("FF FF 01 02 01 FB");
    expect("FF FF 01 02 00 FC"); /* published */
    turn(1, 1304 * TICK);
    say_hex("FF FF 01 04 02 38 02 BE");
    expect("FF FF 01 04 00 18 05 DD"); /* published */
    say_hex(
        "FF FF 01 09 03 2A 00 08 00 00 E8 03 D5"); /* published: position 2048, time 0, speed 1000 */
    expect("FF FF 01 02 00 FC");
    assert_int_equal(reg(1, 42, 2), 2048);
    assert_int_equal(reg(1, 46, 2), 1000);
    say_hex("FF FF FE 0A 82 38 02 01 02 03 04 05 06 26"); /* published */
    assert_int_equal(heard_count, 48);
    for (int i = 0; i < 6; i++)
        assert_int_equal(heard[8 * i + 2], i + 1);
    say_hex(
        "FF FF FE 16 83 2A 02 01 00 08 02 00 08 03 00 08 04 00 08 05 00 08 06 00 08 F7"); /* published */
    expect_silence();
    assert_int_equal(reg(6, 42, 2), 2048);
    /* a registered write waits for the published ACTION */
    feetech(2, 4, (uint8_t[]){ 42, 0xD0, 0x07 }, 3);
    expect("FF FF 02 02 00 FB");
    assert_int_equal(reg(2, 42, 2), 2048);
    say_hex("FF FF FE 02 05 FA");
    expect_silence();
    assert_int_equal(reg(2, 42, 2), 2000);
}

TEST(feetech_wrong_packets)
{
    open_bus("sts3215:1");
    say_hex("FF FF 01 02 01 FA");       /* checksum */
    say_hex("FF FF 01 04 02 FF 02 F8"); /* beyond the end */
    say_hex("FF FF 01 02 77 85");       /* no instruction */
    expect_silence();
    say_hex("00 FF FF FF 01 02 01 FB"); /* noise before it */
    expect("FF FF 01 02 00 FC");
    say_hex("FF FF 01 04 02 38"); /* the host died in the middle */
    run_for(0.02);
    say_hex("FF FF 01 02 01 FB");
    expect("FF FF 01 02 00 FC");
    say_hex("FF FF FE 02 01 FE"); /* all servos */
    expect("FF FF 01 02 00 FC");
    f_write(1, 3, 2, 5); /* read only */
    assert_int_equal(f_read(1, 3, 2), 777);
    f_write(1, 33, 1, 9); /* no mode */
    assert_int_equal(reg(1, 33, 1), 0);
}

TEST(feetech_response_level_and_delay)
{
    open_with("sts3215:1", (struct robo__servo_bus_options){ .return_delay = -1 });
    robo_time begun = now;
    say_hex("FF FF 01 02 01 FB");
    assert_int_equal(ends[5] - begun, 12 * 10000 + 500000); /* the factory's 500 us */
    f_write(1, 7, 1, 0);
    begun = now;
    say_hex("FF FF 01 02 01 FB");
    assert_int_equal(ends[0] - begun, 7 * 10000);
    f_write(1, 8, 1, 0);
    f_write(1, 41, 1, 50);
    expect_silence();
    assert_int_equal(f_read(1, 41, 1), 50);
    feetech(1, 1, NULL, 0);
    assert_int_equal(heard_count, 6);
}

TEST(feetech_lock)
{
    open_bus("sts3215:1");
    assert_int_equal(f_read(1, 55, 1), 1);
    f_write(1, 21, 1, 16);
    assert_int_equal(f_read(1, 21, 1), 16);
    feetech(1, 8, NULL, 0); /* reboot: no answer, 800 ms */
    expect_silence();
    assert_int_equal(f_read(1, 21, 1), -1);
    run_for(0.79);
    assert_int_equal(f_read(1, 21, 1), -1);
    run_for(0.02);
    assert_int_equal(f_read(1, 21, 1), 32);
    f_write(1, 55, 1, 0);
    f_write(1, 21, 1, 16);
    f_write(1, 5, 1, 9); /* the answer still has the old id */
    expect("FF FF 01 02 00 FC");
    assert_int_equal(f_read(1, 21, 1), -1);
    feetech(9, 8, NULL, 0);
    run_for(0.81);
    assert_int_equal(f_read(9, 21, 1), 16);
    assert_int_equal(f_read(9, 55, 1), 1);
}

TEST(feetech_baud)
{
    open_bus("sts3215:1-2");
    f_write(1, 6, 1, 4);
    expect("FF FF 01 02 00 FC"); /* at the old rate */
    assert_int_equal(f_read(1, 5, 1), -1);
    assert_int_equal(f_read(2, 5, 1), 2);
    robo__servo_bus_set_baud(bus, now, 115200);
    robo_time begun = now;
    assert_int_equal(f_read(1, 5, 1), 1);
    assert_in_range(ends[6] - begun, 15 * 86805, 15 * 86806);
    assert_int_equal(f_read(2, 5, 1), -1);
}

TEST(feetech_position)
{
    open_bus("sts3215:1");
    f_write(1, 41, 1, 50);   /* 5000 steps/s2 */
    f_write(1, 46, 2, 1000); /* steps/s */
    f_write(1, 42, 2, 3048);
    assert_false(view_of(1).holds);
    run_for(0.5);
    assert_int_equal(f_read(1, 56, 2), 2048); /* without torque it stays */
    f_write(1, 40, 1, 1);
    run_for(0.1); /* half of the ramp: a t^2 / 2 = 25 */
    assert_in_range(f_read(1, 56, 2), 2048 + 20, 2048 + 32);
    assert_int_equal(f_read(1, 66, 1), 1);
    run_for(0.5);
    assert_in_range(f_read(1, 58, 2), 999, 1000);
    run_for(0.59); /* 1000 / 1000 + 1000 / 5000 = 1.2 s in all */
    assert_in_range(f_read(1, 56, 2), 3040, 3048);
    run_for(0.03);
    assert_int_equal(f_read(1, 56, 2), 3048);
    assert_int_equal(f_read(1, 58, 2), 0);
    assert_int_equal(f_read(1, 66, 1), 0);
    f_write(1, 9, 2, 1000);
    f_write(1, 42, 2, 0x8000 | 500); /* -500: beyond the least angle */
    run_for(4);
    assert_int_equal(f_read(1, 56, 2), 1000);
}

TEST(feetech_signs)
{
    open_bus("sts3215:1");
    f_write(1, 33, 1, 1); /* a wheel */
    f_write(1, 40, 1, 1);
    f_write(1, 46, 2, 0x8000 | 800);
    run_for(0.5);
    assert_int_equal(f_read(1, 58, 2), 0x8000 | 800);
    assert_true(f_read(1, 60, 2) >> 10 == 1); /* bit 10 of the load */
    double before = view_of(1).angle;
    assert_true(view_of(1).speed < 0);
    run_for(3600); /* the host is gone: it turns on */
    assert_float_equal(view_of(1).angle - before, -800 * 3600 * TICK, 10);
    f_write(1, 46, 2, 0);
    run_for(1);
    assert_true(view_of(1).speed == 0);
    /* bit 11 of the homing offset */
    turn(1, 1000 * TICK);
    f_write(1, 31, 2, 0x800 | 100);
    assert_int_equal(f_read(1, 56, 2), 1100); /* present = actual - offset */
    f_write(1, 31, 2, 1000 + 20);
    assert_int_equal(f_read(1, 56, 2), 4076); /* and within a turn */
    f_write(1, 18, 1, 12 | 16);
    assert_int_equal(f_read(1, 56, 2), 0x8000 | 20);
    f_write(1, 18, 1, 12 & ~4); /* units of 50 steps/s */
    f_write(1, 46, 2, 20);
    run_for(1);
    assert_float_equal(view_of(1).speed, 1000 * TICK, 1e-6);
}

TEST(feetech_middle)
{
    open_bus("sts3215:1");
    turn(1, 3000 * TICK);
    f_write(1, 40, 1, 128);
    assert_int_equal(f_read(1, 56, 2), 2048);
    assert_int_equal(f_read(1, 31, 2), 952);
    assert_int_equal(f_read(1, 40, 1), 0);
    feetech(1, 8, NULL, 0);
    run_for(1);
    assert_int_equal(f_read(1, 56, 2), 2048); /* for good, though it was locked */
}

TEST(feetech_overload)
{
    open_bus("sts3215:1");
    touch(1, (struct robo__servo_bus_touch){
                 .is_stopped = true, .most = 2200 * TICK }); /* something is in the gripper */
    f_write(1, 40, 1, 1);
    f_write(1, 42, 2, 3000);
    run_for(1);
    assert_int_equal(f_read(1, 60, 2), 1000);
    assert_int_equal(f_read(1, 69, 2), 415); /* 2.7 A of 6.5 mA each */
    assert_int_equal(f_read(1, 65, 1), 0);
    run_for(1.2); /* 200 times 10 ms */
    assert_int_equal(f_read(1, 65, 1), 32);
    assert_int_equal(heard[4], 32); /* in the status packet, too */
    assert_int_equal(f_read(1, 60, 2), 200);
    f_write(1, 42, 2, 2048);
    run_for(10);
    assert_int_equal(f_read(1, 65, 1), 32); /* latched */
    feetech(1, 8, NULL, 0);
    run_for(0.9);
    assert_int_equal(f_read(1, 65, 1), 0);
    f_write(1, 48, 2, 500); /* below the overload torque nothing trips */
    f_write(1, 40, 1, 1);
    f_write(1, 42, 2, 3000);
    run_for(5);
    assert_int_equal(f_read(1, 60, 2), 500);
    assert_int_equal(f_read(1, 65, 1), 0);
    assert_true(f_read(1, 63, 1) > 25);
    assert_int_equal(f_read(1, 62, 1), 74);
    f_write(1, 28, 2, 100); /* protection current */
    run_for(2.1);
    assert_int_equal(f_read(1, 65, 1), 8);
    assert_false(view_of(1).holds);
}

/* ---- Dynamixel ---- */

/* By the published table method. */
static uint16_t crc_of(const uint8_t *b, size_t n)
{
    uint16_t table[256], crc = 0;
    for (unsigned i = 0; i < 256; i++) {
        table[i] = i << 8;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 0x8000 ? table[i] << 1 ^ 0x8005 : table[i] << 1;
    }
    for (size_t i = 0; i < n; i++)
        crc = crc << 8 ^ table[(crc >> 8 ^ b[i]) & 0xFF];
    return crc;
}

static size_t packet(uint8_t *b, unsigned id, unsigned inst, const uint8_t *p, size_t n)
{
    memcpy(b, (uint8_t[]){ 0xFF, 0xFF, 0xFD, 0, id, 0, 0, inst }, 8);
    size_t size = 8;
    for (size_t i = 0; i < n; i++) {
        b[size++] = p[i];
        if (size >= 10 && b[size - 1] == 0xFD && b[size - 2] == 0xFF && b[size - 3] == 0xFF)
            b[size++] = 0xFD;
    }
    b[5] = size - 5;
    b[6] = (size - 5) >> 8;
    uint16_t crc = crc_of(b, size);
    b[size++] = crc;
    b[size++] = crc >> 8;
    return size;
}

static void dxl(unsigned id, unsigned inst, const uint8_t *p, size_t n)
{
    uint8_t b[600];
    say(b, packet(b, id, inst, p, n));
}

/* The answer is one status packet of that error and these parameters. */
static void expect_status(unsigned id, unsigned error, const uint8_t *p, size_t n)
{
    uint8_t b[600], params[300];
    params[0] = error;
    if (n > 0)
        memcpy(params + 1, p, n);
    size_t size = packet(b, id, 0x55, params, n + 1);
    assert_int_equal(heard_count, size);
    assert_memory_equal(heard, b, size);
}

/* Writes and returns the error; -1: no answer. */
static int d_write(unsigned id, unsigned address, unsigned size, int x)
{
    dxl(id, 3, (uint8_t[]){ address, address >> 8, x, x >> 8, x >> 16, x >> 24 }, 2 + size);
    if (heard_count == 0)
        return -1;
    expect_status(id, heard[8], NULL, 0);
    return heard[8];
}

static int d_read(unsigned id, unsigned address, unsigned size)
{
    dxl(id, 2, (uint8_t[]){ address, 0, size, 0 }, 4);
    int x = 0;
    if (heard_count == 0)
        return -99999999;
    for (unsigned i = size; i-- > 0;)
        x = (int)((unsigned)x << 8 | heard[9 + i]);
    return size == 2 ? (int16_t)x : x;
}

TEST(dynamixel_published_packets)
{
    assert_int_equal(crc_of((const uint8_t *)"123456789", 9), 0xFEE8);
    open_bus("xl430:1-2");
    say_hex("FF FF FD 00 01 03 00 01 19 4E"); /* published */
    expect_status(1, 0, (uint8_t[]){ 0x24, 0x04, 48 }, 3);
    say_hex("FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"); /* published */
    expect_status(1, 0, (uint8_t[]){ 0, 8, 0, 0 }, 4);
    say_hex("FF FF FD 00 01 03 00 01 19 4F"); /* its CRC is wrong */
    expect_status(1, 3, NULL, 0);
    dxl(254, 1, NULL, 0); /* all servos */
    assert_int_equal(heard_count, 28);
    assert_int_equal(heard[4], 1);
    assert_int_equal(heard[14 + 4], 2);
}

TEST(dynamixel_stuffing)
{
    open_bus("xl430:1");
    /* a register that reads FF FF FD: written in one packet, and read */
    assert_int_equal(d_write(1, 20, 4, 0x00FDFFFF - 0x01000000), 0); /* -131073: FF FF FD FF */
    dxl(1, 2, (uint8_t[]){ 20, 0, 4, 0 }, 4);
    expect_status(1, 0, (uint8_t[]){ 0xFF, 0xFF, 0xFD, 0xFF }, 4);
    assert_int_equal(heard_count, 11 + 4 + 1);
    assert_int_equal((int)reg(1, 20, 4), -131073);
}

TEST(dynamixel_errors)
{
    open_bus("xl430:1");
    dxl(1, 0x77, NULL, 0);
    expect_status(1, 2, NULL, 0);
    assert_int_equal(d_write(1, 64, 1, 2), 4);     /* range */
    assert_int_equal(d_write(1, 116, 2, 100), 5);  /* half a register */
    assert_int_equal(d_write(1, 116, 4, 5000), 6); /* beyond its limits */
    assert_int_equal(d_write(1, 132, 4, 100), 7);  /* read only */
    assert_int_equal(d_write(1, 3, 1, 100), 7);    /* no register */
    assert_int_equal(d_write(1, 11, 1, 0), 4);     /* no current mode */
    dxl(1, 5, NULL, 0);
    expect_status(1, 1, NULL, 0); /* an action without a registered write */
    assert_int_equal(d_write(1, 64, 1, 1), 0);
    assert_int_equal(d_write(1, 7, 1, 2), 7); /* kept registers, with torque */
    assert_int_equal(d_write(1, 64, 1, 0), 0);
    assert_int_equal(d_write(1, 7, 1, 2), 0);
    assert_int_equal(d_read(2, 7, 1), 2);
    dxl(2, 8, NULL, 0);
    expect_status(2, 0, NULL, 0);
    assert_int_equal(d_read(2, 7, 1), -99999999);
    run_for(0.51);
    assert_int_equal(d_read(2, 7, 1), 2);
}

TEST(dynamixel_return_level)
{
    open_bus("xl430:1");
    assert_int_equal(d_write(1, 68, 1, 1), -1); /* its own write is not answered any more */
    assert_int_equal(d_write(1, 65, 1, 1), -1);
    assert_int_equal(d_read(1, 65, 1), 1);
    d_write(1, 68, 1, 0);
    assert_int_equal(d_read(1, 65, 1), -99999999);
    dxl(1, 1, NULL, 0);
    assert_int_equal(heard_count, 14);
}

TEST(dynamixel_groups)
{
    open_bus("xl430:1-3");
    dxl(254, 0x83, (uint8_t[]){ 116, 0, 4, 0, 1, 0xE8, 3, 0, 0, 3, 0xD0, 7, 0, 0 }, 14);
    expect_silence();
    assert_int_equal(reg(1, 116, 4), 1000);
    assert_int_equal(reg(3, 116, 4), 2000);
    dxl(254, 0x82, (uint8_t[]){ 132, 0, 4, 0, 3, 1 }, 6);
    assert_int_equal(heard_count, 30);
    assert_int_equal(heard[4], 3);
    assert_int_equal(heard[15 + 4], 1);
    assert_int_equal(d_write(1, 65, 1, 1), 0);
    dxl(1, 4, (uint8_t[]){ 65, 0, 0 }, 3);
    assert_int_equal(reg(1, 65, 1), 1);
    dxl(254, 5, NULL, 0);
    expect_silence();
    assert_int_equal(reg(1, 65, 1), 0);
}

TEST(dynamixel_motion)
{
    open_bus("xl430:1");
    d_write(1, 112, 4, 64); /* 1000.5 ticks/s */
    d_write(1, 108, 4, 20); /* 4883 ticks/s2 */
    d_write(1, 64, 1, 1);
    d_write(1, 116, 4, 3048);
    run_for(0.6);
    assert_in_range(d_read(1, 128, 4), 63, 64);
    assert_int_equal(d_read(1, 122, 1), 1);
    run_for(0.65);
    assert_int_equal(d_read(1, 132, 4), 3048);
    assert_int_equal(d_read(1, 123, 1), 1);
    d_write(1, 64, 1, 0);
    d_write(1, 10, 1, 4); /* the profile by times */
    d_write(1, 112, 4, 2000);
    d_write(1, 108, 4, 500);
    d_write(1, 64, 1, 1);
    d_write(1, 116, 4, 1048);
    run_for(1.0);
    assert_in_range(d_read(1, 132, 4), 2020, 2070);
    run_for(0.95);
    assert_int_not_equal(d_read(1, 132, 4), 1048);
    run_for(0.07);
    assert_int_equal(d_read(1, 132, 4), 1048);
    d_write(1, 64, 1, 0);
    d_write(1, 11, 1, 1);
    d_write(1, 10, 1, 1); /* reverse */
    d_write(1, 64, 1, 1);
    assert_int_equal(d_write(1, 104, 4, 266), 6);
    d_write(1, 104, 4, 100);
    run_for(1);
    assert_in_range(d_read(1, 128, 4), 99, 100);
    assert_true(view_of(1).speed < 0);
}

TEST(dynamixel_modes_with_current)
{
    open_bus("xm430:1");
    assert_int_equal(d_read(1, 0, 2), 1020);
    assert_int_equal(d_write(1, 11, 1, 5), 0);
    touch(1, (struct robo__servo_bus_touch){ .is_stopped = true, .most = 2200 * TICK });
    d_write(1, 64, 1, 1);
    d_write(1, 102, 2, 100);
    d_write(1, 116, 4, 3000);
    run_for(2);
    assert_in_range(d_read(1, 126, 2), 99, 100); /* it presses with its goal current */
    assert_int_equal(d_write(1, 102, 2, 1194), 4);
    d_write(1, 64, 1, 0);
    assert_int_equal(d_write(1, 11, 1, 0), 0);
    d_write(1, 64, 1, 1);
    d_write(1, 102, 2, -100);
    run_for(0.1);
    assert_true(view_of(1).speed < 0);
    open_bus("xl330:1");
    assert_int_equal(d_read(1, 0, 2), 1200);
    assert_int_equal(d_read(1, 63, 1), 53);
    d_write(1, 11, 1, 16);
    d_write(1, 64, 1, 1);
    d_write(1, 100, 2, -200);
    run_for(1);
    assert_in_range(d_read(1, 124, 2), -200, -199);
    assert_true(view_of(1).speed < -1);
}

TEST(dynamixel_watchdog)
{
    open_bus("xl430:1-2");
    d_write(1, 11, 1, 1);
    d_write(1, 98, 1, 5);
    d_write(1, 104, 4, 100);
    run_for(1);
    assert_int_equal(d_read(1, 98, 1), 5); /* without torque it is not armed */
    d_write(1, 64, 1, 1);
    for (int i = 0; i < 20; i++) { /* instructions to others feed it */
        run_for(0.09);
        dxl(2, 1, NULL, 0);
    }
    assert_true(view_of(1).speed > 1);
    run_for(0.2);
    assert_true(view_of(1).speed == 0);
    assert_int_equal(d_read(1, 98, 1), 255);
    assert_int_equal(d_write(1, 104, 4, 100), 4);
    dxl(254, 0x83, (uint8_t[]){ 104, 0, 4, 0, 1, 50, 0, 0, 0 }, 9); /* vanishes silently */
    expect_silence();
    assert_int_equal(d_read(1, 104, 4), 100);
    assert_int_equal(d_write(1, 98, 1, 5), 4);
    assert_int_equal(d_write(1, 98, 1, 0), 0);
    run_for(0.5);
    assert_true(view_of(1).speed == 0); /* until the next goal */
    assert_int_equal(d_write(1, 104, 4, 50), 0);
    run_for(0.5);
    assert_true(view_of(1).speed > 0.5);
}

/* ---- time on the wire ---- */

/* Sends two groups of packets, a write and a read, one after the other, and measures until the last byte. */
static double cycle(const uint8_t *write, size_t w, const uint8_t *read, size_t r)
{
    robo_time begun = now;
    heard_count = 0;
    assert_int_equal(robo__servo_bus_receive(bus, now, write, w), w);
    assert_int_equal(robo__servo_bus_receive(bus, now, read, r), r);
    robo_time due;
    while ((due = robo__servo_bus_due(bus)) != ROBO_NEVER)
        run_for((double)(due - now) * 1e-9 + 1e-9);
    return (double)(ends[heard_count - 1] - begun) * 1e-6;
}

static double feetech_cycle(unsigned n, uint32_t baud)
{
    char servos[32];
    snprintf(servos, sizeof servos, "sts3215:1-%u", n);
    open_with(servos, (struct robo__servo_bus_options){ .baud = baud });
    uint8_t w[300] = { 0xFF, 0xFF, 254, 3 * n + 4, 0x83, 42, 2 };
    uint8_t r[300] = { 0xFF, 0xFF, 254, n + 4, 0x82, 56, 2 };
    uint8_t sum = 0, sums = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(w + 7 + 3 * i, (uint8_t[]){ i + 1, 0, 8 }, 3);
        r[7 + i] = i + 1;
    }
    for (unsigned i = 2; i < 7 + 3 * n; i++)
        sum += w[i];
    for (unsigned i = 2; i < 7 + n; i++)
        sums += r[i];
    w[7 + 3 * n] = ~sum;
    r[7 + n] = ~sums;
    double ms = cycle(w, 8 + 3 * n, r, 8 + n);
    assert_int_equal(heard_count, 8 * n);
    return ms;
}

static double dynamixel_cycle(unsigned n, uint32_t baud)
{
    char servos[32];
    snprintf(servos, sizeof servos, "xl430:1-%u", n);
    open_with(servos, (struct robo__servo_bus_options){ .baud = baud });
    uint8_t wp[300] = { 116, 0, 4, 0 }, rp[100] = { 132, 0, 4, 0 }, w[400], r[200];
    for (unsigned i = 0; i < n; i++) {
        wp[4 + 5 * i] = i + 1;
        rp[4 + i] = i + 1;
    }
    double ms = cycle(w, packet(w, 254, 0x83, wp, 4 + 5 * n), r, packet(r, 254, 0x82, rp, 4 + n));
    assert_int_equal(heard_count, 15 * n);
    return ms;
}

TEST(cycles_take_the_computed_time)
{
    /* the computed figures, in milliseconds: write and read, Feetech, Dynamixel */
    static const struct {
        unsigned n, baud;
        double feetech, dynamixel, within;
    } rows[] = { { 6, 57600, 15.3, 26.7, 0.05 },    { 12, 57600, 27.8, 48.6, 0.05 },
                 { 20, 57600, 44.4, 77.8, 0.05 },   { 6, 115200, 7.6, 13.4, 0.05 },
                 { 12, 115200, 13.9, 24.3, 0.05 },  { 20, 115200, 22.2, 38.9, 0.05 },
                 { 6, 1000000, 0.88, 1.54, 0.005 }, { 20, 1000000, 2.56, 4.48, 0.005 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_float_equal(feetech_cycle(rows[i].n, rows[i].baud), rows[i].feetech, rows[i].within);
        assert_float_equal(dynamixel_cycle(rows[i].n, rows[i].baud), rows[i].dynamixel,
                           rows[i].within);
    }
    /* and 3 ms more, if six return delays are the factory's */
    open_with("sts3215:1-6", (struct robo__servo_bus_options){ .return_delay = -1 });
    robo_time begun = now;
    say_hex("FF FF FE 0A 82 38 02 01 02 03 04 05 06 26");
    assert_int_equal(ends[47] - begun, 62 * 10000 + 6 * 500000);
    /* a servo that is not there leaves its turn empty */
    open_bus("sts3215:1,3");
    begun = now;
    say_hex("FF FF FE 07 82 38 02 01 02 03 38");
    assert_int_equal(heard_count, 16);
    assert_int_equal(ends[15] - begun, (11 + 24) * 10000);
}

TEST(bytes_that_meet_spoil_each_other)
{
    open_bus("sts3215:1");
    say_hex("FF FF 01 02 01 FB FF FF 01 02 01 FB"); /* the second does not wait for the answer */
    assert_int_equal(heard_count, 6);
    assert_int_not_equal(memcmp(heard, "\xFF\xFF\x01\x02\x00\xFC", 6), 0);
}

/* ---- faults ---- */

TEST(faults_of_packets)
{
    open_bus("sts3215:1-2");
    fault_now("silent:1", 0);
    assert_int_equal(f_read(1, 3, 2), -1);
    assert_int_equal(f_read(1, 3, 2), 777);
    fault_now("silent:1", 0.1);
    assert_int_equal(f_read(1, 3, 2), -1);
    assert_int_equal(f_read(1, 3, 2), -1);
    assert_int_equal(f_read(2, 3, 2), 777);
    run_for(0.1);
    assert_int_equal(f_read(1, 3, 2), 777);
    fault_now("checksum:2", 0);
    assert_int_equal(f_read(2, 3, 2), -2);
    assert_int_equal(f_read(2, 3, 2), 777);
    fault_now("noise:2", 0);
    feetech(2, 1, NULL, 0);
    assert_in_range(heard_count, 7, 12);
    assert_memory_equal(heard + heard_count - 6, "\xFF\xFF\x02\x02\x00\xFB", 6);
    heard_count = 0;
    fault_now("noise:254", 0);
    run_for(0.001);
    assert_in_range(heard_count, 1, 6);
    fault_now("cable:254", 0.2);
    assert_int_equal(f_read(1, 3, 2), -1);
    assert_false(view_of(2).runs);
    run_for(0.2);
    assert_int_equal(f_read(1, 3, 2), -1); /* it starts */
    run_for(0.8);
    assert_int_equal(f_read(1, 3, 2), 777);
    assert_int_equal(robo__servo_bus_add_fault(bus, "cable:9@1", (char[200]){ 0 }), ROBO_ENONE);
}

TEST(fault_restart)
{
    open_bus("sts3215:1");
    f_write(1, 40, 1, 1);
    f_write(1, 48, 2, 300);
    fault_now("restart:1", 0);
    assert_int_equal(f_read(1, 40, 1), -1);
    assert_false(view_of(1).holds);
    run_for(0.8);
    assert_int_equal(f_read(1, 40, 1), 0);
    assert_int_equal(f_read(1, 48, 2), 1000);
    assert_false(view_of(1).holds);
}

TEST(faults_of_servos)
{
    open_bus("sts3215:1-3");
    for (unsigned id = 1; id <= 3; id++)
        f_write(id, 40, 1, 1);
    fault_now("overload:1", 3);
    fault_now("heat:2", 1);
    fault_now("voltage:3", 1);
    assert_int_equal(f_read(2, 65, 1), 4);
    assert_int_equal(f_read(2, 63, 1), 75);
    assert_false(view_of(2).holds);
    assert_int_equal(f_read(3, 65, 1), 1);
    assert_int_equal(f_read(3, 62, 1), 35);
    assert_true(view_of(3).holds);
    run_for(2.1);
    assert_int_equal(f_read(1, 65, 1), 32);
    assert_int_equal(f_read(3, 65, 1), 0);
    run_for(300); /* it cools down, and stays off */
    assert_int_equal(f_read(2, 65, 1), 0);
    assert_int_equal(f_read(2, 40, 1), 0);

    open_bus("xl430:1-3");
    for (unsigned id = 1; id <= 3; id++)
        d_write(id, 64, 1, 1);
    fault_now("overload:1", 3);
    fault_now("heat:2", 1);
    fault_now("voltage:3", 1);
    run_for(2.1);
    assert_int_equal(d_read(1, 70, 1), 32);
    assert_int_equal(heard[8], 128); /* the alert bit */
    assert_int_equal(d_read(1, 64, 1), 0);
    assert_int_equal(d_write(1, 64, 1, 1), 129); /* the result fails: only a restart helps */
    assert_int_equal(d_read(2, 70, 1), 4);
    assert_int_equal(d_read(3, 70, 1), 1); /* does not shut down an XL430 */
    assert_int_equal(d_read(3, 64, 1), 1);
    run_for(1);
    dxl(1, 8, NULL, 0);
    run_for(0.6);
    assert_int_equal(d_write(1, 64, 1, 1), 0);
    assert_int_equal(d_read(1, 70, 1), 0);
}

TEST(fault_twin)
{
    open_bus("sts3215:1-2");
    fault_now("twin:1", 1);
    int wrong = 0;
    for (int i = 0; i < 20; i++)
        wrong += f_read(1, 56, 2) != 2048;
    assert_true(wrong > 10);
    assert_int_equal(f_read(2, 56, 2), 2048);
    run_for(1);
    assert_int_equal(f_read(1, 56, 2), 2048);
}

/* The same seed gives the same bytes at the same instants, and another one others. */
TEST(random_faults_repeat)
{
    uint64_t sums[3];
    for (int k = 0; k < 3; k++) {
        open_with("sts3215:1-6", (struct robo__servo_bus_options){ 0 });
        robo__servo_bus_add_random_faults(bus, k == 2 ? 8 : 7, 60);
        sums[k] = 0;
        unsigned lost = 0;
        for (int i = 0; i < 3000; i++) {
            say_hex("FF FF FE 0A 82 38 02 01 02 03 04 05 06 26");
            lost += heard_count < 48;
            for (size_t j = 0; j < heard_count; j++)
                sums[k] = sums[k] * 31 + heard[j] + (uint64_t)ends[j];
            run_for(0.01);
        }
        assert_in_range(lost, 1, 2900);
    }
    assert_true(sums[0] == sums[1]);
    assert_true(sums[0] != sums[2]);
}

TEST(texts)
{
    char why[ROBO__SERVO_BUS_WHY];
    open_bus("sts3215:1-3,7");
    static const struct {
        const char *text;
        int status;
    } servos[] = { { "sts3215", ROBO_EINVAL },      { "sts3215:", ROBO_EINVAL },
                   { "sts3215:8-", ROBO_EINVAL },   { "sts3215:9-8", ROBO_EINVAL },
                   { "sts3215:8x", ROBO_EINVAL },   { "ax12:8", ROBO_ENONE },
                   { "sts3215:7", ROBO_EEXISTS },   { "sts3215:254", ROBO_ERANGE },
                   { "xl430:8", ROBO_EINVAL },      { "STS3215:8", 0 },
                   { "sts3215:20-200", ROBO_EFULL } };
    for (size_t i = 0; i < sizeof servos / sizeof servos[0]; i++)
        assert_int_equal(robo__servo_bus_add(bus, servos[i].text, why), servos[i].status);
    static const char *const faults[] = { "",          "silent",       "silent:1",    "silent:1@",
                                          "silent:@1", "silent:1@x",   "silent:1@-1", "silent:1@1+",
                                          "loud:1@1",  "silent:1@1+1x" };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_int_equal(robo__servo_bus_add_fault(bus, faults[i], why), ROBO_EINVAL);
    assert_int_equal(robo__servo_bus_add_fault(bus, "twin:7@1.5+2e1", why), 0);
}

TEST(no_memory_and_wrong_options)
{
    struct robo__servo_bus_options wrong[] = { { .baud = 20000000 }, { .return_delay = 255 } };
    for (size_t i = 0; i < 2; i++)
        assert_null(robo__servo_bus_open(&wrong[i], 0));
    open_with("sts3215:1", (struct robo__servo_bus_options){ .baud = 38400 });
    assert_int_equal(robo__servo_bus_add(bus, "xl430:3", (char[ROBO__SERVO_BUS_WHY]){ 0 }),
                     ROBO_EINVAL);
}
