/* The driver of drives on a CAN bus: the ASCII protocol of serial adapters and frame layouts, byte for byte. The adapter's
 * lines are those of LAWICEL's CAN232 manual; the identifiers, objects and state words those of CiA 301 and CiA 402. */

#include <string.h>

#include "../test.h"
#include "can/layout.h"
#include "can/line.h"

/* ---- the adapter's lines ---- */

static void expect_line(const struct robo__can_frame *frame, const char *line)
{
    char out[ROBO__SLCAN_LINE];
    size_t n = robo__slcan_encode(frame, out);
    assert_int_equal(n, strlen(line));
    assert_memory_equal(out, line, n);
    /* and back, byte for byte */
    struct robo__slcan s = { .length = 0 };
    struct robo__can_frame again;
    uint8_t flags;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *at = (const uint8_t *)out + i;
        size_t one = 1;
        enum robo__slcan_event e = robo__slcan_feed(&s, &at, &one, &again, &flags);
        assert_int_equal(e, i + 1 < n ? ROBO__SLCAN_MORE : ROBO__SLCAN_FRAME);
    }
    assert_int_equal(again.id, frame->id);
    assert_int_equal(again.extended, frame->extended);
    assert_int_equal(again.size, frame->size);
    assert_memory_equal(again.data, frame->data, frame->size);
}

TEST(lines_of_frames)
{
    expect_line(&(struct robo__can_frame){ .id = 0x100 }, "t1000\r");
    expect_line(&(struct robo__can_frame){ .id = 0x7FF, .size = 2, .data = { 0x01, 0xAB } },
                "t7FF201AB\r");
    expect_line(
        &(struct robo__can_frame){
            .id = 0x1FFFFFFF, .extended = true, .size = 8, .data = { 0, 1, 2, 3, 4, 5, 6, 0xFF } },
        "T1FFFFFFF800010203040506FF\r");
}

/* All events of these bytes, a letter each. */
static void expect_events(const char *bytes, size_t n, const char *events)
{
    struct robo__slcan s = { .length = 0 };
    struct robo__can_frame frame;
    const uint8_t *at = (const uint8_t *)bytes;
    uint8_t flags;
    char heard[64] = "";
    for (size_t i = 0; i < 63; i++) {
        enum robo__slcan_event e = robo__slcan_feed(&s, &at, &n, &frame, &flags);
        heard[i] = ".FDRSOG"[e];
        if (e == ROBO__SLCAN_MORE)
            break;
    }
    assert_string_equal(heard, events);
}

TEST(lines_that_are_none)
{
#define EXPECT(text, events) expect_events(text, sizeof text - 1, events)
    EXPECT("\r\a\rz\rZ\r", "DRDDD.");
    EXPECT("t10021122\rt1002112\r", "FG.");       /* a digit too few */
    EXPECT("t1009112233445566778899\r", "G.");    /* nine bytes */
    EXPECT("t80000\rt8000\r", "GG.");             /* an identifier of 12 bits */
    EXPECT("T200000000\rT1FFFFFFF0\r", "GF.");    /* of 30 */
    EXPECT("t1001112233\rt10011122334\r", "FG."); /* one byte, and a time of four digits */
    EXPECT("t10011122334\rt100111ABCD\r", "GF.");
    EXPECT("t100zz\rtxyz0\r", "GG.");
    EXPECT("F00\rF8\rFxx\rF80\r", "SGGS.");
    EXPECT("V1013\rN1234\rr1000\r", "OOO.");
    EXPECT("zz\rq\r\nt1000\r", "GGG.");
    EXPECT("tttttttttttttttttttttttttttttttttttttttttttttttttttttttt\rt1000\r", "GF.");
    EXPECT("t10\at1000\r", "RF."); /* BEL ends what came before it */
    EXPECT("t1002", ".");
    EXPECT("\0\0\r", "G.");
}

/* ---- layouts ---- */

static struct robo__can_layout layout(const char *text)
{
    struct robo__can_layout l;
    char why[128] = "";
    if (!robo__can_layout_read(text, &l, why))
        fail_msg("%s: %s", text, why);
    return l;
}

static void expect_set(const char *text, double value, const char *lines)
{
    struct robo__can_layout l = layout(text);
    struct robo__can_frame frame[2];
    char all[128] = "", one[ROBO__SLCAN_LINE] = "";
    unsigned n = robo__can_layout_set(&l, value, frame);
    for (unsigned i = 0; i < n; i++)
        strncat(all, one, robo__slcan_encode(&frame[i], one));
    assert_string_equal(all, lines);
}

TEST(set_points_and_speeds)
{
    /* RPDO4 of node 3, 0x503: controlword 0x000F, and 1.5 rad/s of 1000 = 1500 = 0x5DC, both little-endian */
    expect_set("velocity node=3 scale=1000", 1.5, "t50360F00DC050000\r");
    expect_set("velocity node=3 scale=1000", -1.5, "t50360F0024FAFFFF\r");
    expect_set("velocity node=3 scale=1000 speed_scale=10", 1.5, "t50360F000F000000\r");
    /* 32 bits and no further */
    expect_set("velocity node=127 scale=1e9", 9, "t57F60F00FFFFFF7F\r");
    expect_set("velocity node=127 scale=1e9", -9, "t57F60F0000000080\r");
    /* RPDO3 of node 2, 0x402: (0.5 + 0.25) rad of 4000 = 3000 = 0xBB8 */
    expect_set("position node=2 scale=4000 zero=0.25 cyclic", 0.5, "t40260F00B80B0000\r");
    /* a profile's set-point: bit 4 falls (RPDO1, 0x202) and rises again, with bit 5 */
    expect_set("position node=2 scale=-4000", 0.5, "t20220F00\rt40263F0030F8FFFF\r");
    expect_set("generic set=0x201:i16be@2*100", -1.23, "t20180000FF8500000000\r");
    expect_set("generic set=0x12345678:f32@4", 1,
               "T12345678800000000"
               "0000803F\r");
    expect_set("generic set=513:u8@0*10", -5, "t20180000000000000000\r");
    expect_set("generic set=0x201:f64be@0", 1, "t20183FF0000000000000\r");
}

static void expect_wrong(const char *text, const char *expected)
{
    struct robo__can_layout l;
    char why[128] = "";
    assert_false(robo__can_layout_read(text, &l, why));
    if (!strstr(why, expected))
        fail_msg("%s: %s, and not %s", text, why, expected);
}

TEST(layouts_that_are_none)
{
    expect_wrong("", "expected velocity, position or generic first, got nothing");
    expect_wrong("torque node=1", "got torque");
    expect_wrong("velocity", "expected node=1…127");
    expect_wrong("velocity node=0 scale=1", "node=0");
    expect_wrong("velocity node=128 scale=1", "node=128");
    expect_wrong("velocity node=1 scale=0x10", "scale=0x10");
    expect_wrong("velocity node=1 scale=1,5", "scale=1,5");
    expect_wrong("velocity node=1.5 scale=1", "node=1.5");
    expect_wrong("velocity node=1", "expected scale=");
    expect_wrong("velocity node=1 scale=0", "scale=0");
    expect_wrong("velocity node=1 scale=nan", "scale=nan");
    expect_wrong("velocity node=1 scale=1 speed", "got speed");
    expect_wrong("velocity node=1 scale=1 set=0x1:i8@0", "got set=");
    expect_wrong("generic", "expected set=");
    expect_wrong("generic set=0x201", "expected ID:TYPE@OFFSET*SCALE");
    expect_wrong("generic set=0x20000000:i8@0", "expected ID:TYPE");
    expect_wrong("generic set=-1:i8@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i24@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:f16@0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@5", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0*0", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0x", "expected ID:TYPE");
    expect_wrong("generic set=0x201:i32@0 halt=0x1:0", "halt: expected ID:BYTES");
    expect_wrong("generic set=0x201:i32@0 halt=0x1:001122334455667788", "halt: expected ID:BYTES");
    expect_wrong("generic set=0x201:i32@0 node=1", "got node");
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[299] = 0;
    expect_wrong(longest, "at most 255 characters");
}

static struct robo__can_news hear(const char *text, uint32_t id, uint8_t size, const char *bytes)
{
    struct robo__can_layout l = layout(text);
    struct robo__can_frame f = { .id = id, .extended = id > 0x7FF, .size = size };
    struct robo__can_news news;
    memcpy(f.data, bytes, size);
    robo__can_layout_hear(&l, &f, &news);
    return news;
}

TEST(feedback)
{
    const char *drive = "velocity node=5 scale=1000 zero=1";
    /* TPDO3, 0x385: statusword 0x0237, and -2500 increments */
    struct robo__can_news n = hear(drive, 0x385, 6, "\x37\x02\x3C\xF6\xFF\xFF");
    assert_int_equal(n.says, ROBO__CAN_SAYS_STATUS | ROBO__CAN_SAYS_POSITION);
    assert_int_equal(n.status, 0x0237);
    assert_float_equal(n.position, -3.5, 1e-12);
    n = hear(drive, 0x485, 6, "\x37\x02\xE8\x03\x00\x00");
    assert_float_equal(n.speed, 1, 1e-12);
    assert_int_equal(hear(drive, 0x185, 2, "\x40\x02").says, ROBO__CAN_SAYS_STATUS);
    n = hear(drive, 0x085, 8, "\x10\x23\x01\x00\x00\x00\x00\x00"); /* 0x2310: current too high */
    assert_int_equal(n.says, ROBO__CAN_SAYS_EMERGENCY);
    assert_int_equal(n.emergency, 0x2310);
    assert_int_equal(hear(drive, 0x085, 8, "\0\0\0\0\0\0\0\0").says, 0); /* it is over */
    assert_int_equal(hear(drive, 0x705, 1, "\x05").says, ROBO__CAN_SAYS_LIFE);
    /* others, and frames that are too short */
    assert_int_equal(hear(drive, 0x386, 6, "\0\0\0\0\0\0").says, 0);
    assert_int_equal(hear(drive, 0x385, 5, "\0\0\0\0\0").says, 0);
    assert_int_equal(hear(drive, 0x80 + 0x385 - 0x80 + 0x1000, 6, "\0\0\0\0\0\0").says, 0);
    const char *generic = "generic set=1:i8@0 position=0x181:i32@0*1000 speed=0x181:i16be@4*100";
    n = hear(generic, 0x181, 6, "\x18\xFC\xFF\xFF\xFF\x9C");
    assert_int_equal(n.says, ROBO__CAN_SAYS_POSITION | ROBO__CAN_SAYS_SPEED);
    assert_float_equal(n.position, -1, 1e-12);
    assert_float_equal(n.speed, -1, 1e-12);
    assert_int_equal(hear(generic, 0x181, 5, "\0\0\0\0\0").says, ROBO__CAN_SAYS_POSITION);
    /* a number that is none is no news */
    assert_int_equal(hear("generic set=1:i8@0 position=2:f32@0", 2, 4, "\x00\x00\xC0\x7F").says, 0);
}

TEST(state_machine)
{
    assert_int_equal(robo__cia402_next(0x0000), 0x06); /* not ready to switch on */
    assert_int_equal(robo__cia402_next(0x0240), 0x06); /* switch on disabled */
    assert_int_equal(robo__cia402_next(0x0231), 0x07); /* ready to switch on */
    assert_int_equal(robo__cia402_next(0x0233), 0x0F); /* switched on */
    assert_int_equal(robo__cia402_next(0x0237), 0x0F); /* operation enabled */
    assert_int_equal(robo__cia402_next(0x0207), 0x00); /* quick stop active */
    assert_int_equal(robo__cia402_next(0x0208), 0x80); /* fault */
    assert_true(robo__cia402_is_enabled(0x1637) && !robo__cia402_is_enabled(0x0233));
    struct robo__can_layout l = layout("position node=9 scale=1");
    static const char *const lines[] = { "t60982F60600001000000\r", "t60982F02140201000000\r",
                                         "t60982F021802FF000000\r", "t60982B0218050A000000\r",
                                         "t00020109\r" };
    struct robo__can_frame frame;
    for (unsigned i = 0; i < 5; i++) {
        assert_true(robo__cia402_prepare(&l, i, true, &frame));
        expect_line(&frame, lines[i]);
    }
    assert_false(robo__cia402_prepare(&l, 5, true, &frame));
}
