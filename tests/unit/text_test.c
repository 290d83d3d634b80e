/* Texts of strangers: what people are shown of them has no control characters and no half ones. */
#include <string.h>

#include "../test.h"
#include "base/text.h"

static const char *shown(const char *text)
{
    static char out[64];
    robo__text_copy(out, sizeof out, text, strlen(text));
    return out;
}

TEST(what_is_no_control_character_is_kept)
{
    const char *const texts[] = { "",
                                  "nao 7",
                                  "M\xc3\xbcller",
                                  "\xe6\x9c\xba\xe5\x99\xa8\xe4\xba\xba",
                                  "\xf0\x9f\xa4\x96 robot",
                                  "\xc2\xa0",
                                  "\xf4\x8f\xbf\xbf" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(shown(texts[i]), texts[i]);
}

TEST(control_characters_are_not_shown)
{
    assert_string_equal(shown("a\x1b[2Jb\r\n\t\x7f"), "a?[2Jb????");
    /* U+009B is what ESC [ is; alone its byte is no UTF-8 */
    assert_string_equal(shown("a\xc2\x9b"
                              "2Jb"),
                        "a??2Jb");
    assert_string_equal(shown("a\x9b"
                              "2Jb"),
                        "a?2Jb");
    assert_string_equal(shown("\xc2\x80\xc2\x9f"), "????");
}

TEST(what_is_no_utf8_is_not_shown)
{
    assert_string_equal(shown("\xc3(\xff\xfe"), "?(??");
    assert_string_equal(shown("\xc0\x9b\xe0\x82\x9b"), "?????");      /* a control in more bytes */
    assert_string_equal(shown("\xed\xa0\x80"), "???");                /* half of a pair */
    assert_string_equal(shown("\xf4\x90\x80\x80\xf8\x88"), "??????"); /* beyond the last */
    assert_string_equal(shown("ab\xe6\x9c"), "ab??");                 /* cut off */
}

TEST(what_does_not_fit_is_cut_between_characters)
{
    char out[6], one[1] = { 'x' };
    robo__text_copy(out, sizeof out, "abc\xe6\x9c\xba", 6);
    assert_string_equal(out, "abc");
    robo__text_copy(out, sizeof out, "ab\xe6\x9c\xba", 5);
    assert_string_equal(out, "ab\xe6\x9c\xba");
    robo__text_copy(out, sizeof out, "abcdef", 6);
    assert_string_equal(out, "abcde");
    robo__text_copy(one, sizeof one, "abc", 3);
    assert_int_equal(one[0], 0);
    robo__text_copy(out, sizeof out, "ab\0cd", 5);
    assert_string_equal(out, "ab");
}

TEST(a_text_is_cleaned_where_it_is)
{
    char text[] = "\x1b\xc3\xa9\x9b";
    robo__text_copy(text, sizeof text, text, strlen(text));
    assert_string_equal(text, "?\xc3\xa9?");
}
