/* What senders of pictures send, without a connection. The bytes are those of spec/images.md, written out by hand. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "images/wire.h"

/* What was read, a word for each event. */
static char told[512];

static void tell(const char *word, const char *text)
{
    const size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%s%s%s", n > 0 || word[0] != 'h' ? " " : "", word, text);
}

static void tell_number(const char *word, size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    tell(word, text);
}

static void read_all(const char *in, size_t n, size_t cut)
{
    struct robo__images_reader r = { .heads = 0 };
    size_t bytes = 0;
    told[0] = 0;
    for (size_t at = 0; at < n; at += cut) {
        const size_t some = cut < n - at ? cut : n - at;
        enum robo__images_event event = ROBO__IMAGES_HELLO;
        for (size_t done = 0, used; event != ROBO__IMAGES_MORE; done += used) {
            event = robo__images_next(&r, (const uint8_t *)in + at + done, some - done, &used);
            if (event == ROBO__IMAGES_HELLO)
                tell("hello", "");
            else if (event == ROBO__IMAGES_NAMED)
                tell("named:", r.name);
            else if (event == ROBO__IMAGES_BEGIN)
                tell_number("begin:", r.size);
            else if (event == ROBO__IMAGES_BYTES)
                bytes += r.bytes;
            else if (event == ROBO__IMAGES_END)
                tell_number("end:", bytes);
            if (event == ROBO__IMAGES_BAD) {
                tell("", r.why);
                return;
            }
        }
    }
}

#define READS(in, wanted)                          \
    do {                                           \
        for (size_t cut_ = 1; cut_ < 20; cut_++) { \
            read_all(in, sizeof in - 1, cut_);     \
            assert_string_equal(told, wanted);     \
        }                                          \
    } while (0)

TEST(the_golden_talk_is_read_however_it_is_cut)
{
    READS("OK"
          "\xff\0\0\0\x0fpioneer2/camera"
          "\2\0\0\0\4\xff\xd8\xff\xd9"
          "\5\0\0\0\1x",
          "hello named:pioneer2/camera begin:4 end:4 begin:1 end:5");
}

TEST(answers_need_not_be_asked_for)
{
    READS("\1\0\0\0\2ab", " begin:2 end:2");
    /* and OK asks for them at the beginning alone */
    READS("\1\0\0\0\2abOK", " begin:2 end:2 byte 7: expected a type of 1 to 5, or 255");
}

TEST(what_is_no_frame_is_told_with_its_place)
{
    READS("GET /", " byte 0: expected OK, or a type of 1 to 5 or 255");
    READS("OX", " byte 1: expected K behind O");
    READS("OK\0", "hello byte 2: expected a type of 1 to 5, or 255");
    READS("\6", " byte 0: expected OK, or a type of 1 to 5 or 255");
    READS("\1\0\0\0\0", " byte 1: expected a picture of 1 byte to 16 MiB");
    READS("\1\1\0\0\1", " byte 1: expected a picture of 1 byte to 16 MiB");
    READS("\1\1\0\0\0x", " begin:16777216");
    READS("\xff\0\0\0\0", " byte 1: expected a name of 1 to 79 bytes");
    READS("\xff\0\0\0\x50", " byte 1: expected a name of 1 to 79 bytes");
    READS("\xff\0\0\0\3a b", " byte 5: expected a name without blanks");
}

TEST(a_head_is_read_as_it_was_written)
{
    uint8_t head[ROBO__IMAGES_HEAD];
    robo__images_head(2, 0x010203, head);
    assert_memory_equal(head, "\2\0\1\2\3", sizeof head);
}
