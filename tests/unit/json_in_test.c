/* The reader of JSON: what is JSON and what is not, members by paths, elements, numbers, texts. */
#include "../test.h"

#include <string.h>

#include "web/json_in.h"

static struct robo__json_value read(const char *text)
{
    struct robo__json_value value;
    size_t where;
    const char *expected = robo__json_read(text, strlen(text), &value, &where);
    if (expected)
        fail_msg("%s: byte %zu: expected %s", text, where, expected);
    return value;
}

TEST(texts_that_are_json)
{
    static const char *const good[] = {
        "0",
        " -1.5e+3 ",
        "\"\"",
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}]]",
        "{\"a\":1,\"a\":2}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        read(good[i]);
}

TEST(texts_that_are_none)
{
    static const struct {
        const char *text;
        size_t where;
    } bad[] = {
        { "", 0 },         { "01", 1 },       { "1.", 2 },
        { ".5", 0 },       { "+1", 0 },       { "1e", 2 },
        { "-", 1 },        { "nul", 0 },      { "\"", 1 },
        { "\"\n\"", 1 },   { "\"\\x\"", 2 },  { "\"\\u12\"", 5 },
        { "[1,]", 3 },     { "[1 2]", 3 },    { "{a:1}", 1 },
        { "{\"a\"1}", 4 }, { "{\"a\":}", 5 }, { "1 2", 2 },
        { "[", 1 },        { "{\"a\":1", 6 }, { "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]", 33 }
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct robo__json_value value;
        size_t where = 99;
        if (!robo__json_read(bad[i].text, strlen(bad[i].text), &value, &where))
            fail_msg("%s is accepted", bad[i].text);
        if (where != bad[i].where)
            fail_msg("%s: byte %zu", bad[i].text, where);
    }
}

TEST(members_have_paths)
{
    const struct robo__json_value v =
        read("{ \"a\" : { \"b\" : 2 , \"c.d\" : 3 }, \"ab\":[ ], \"\\u0061b\":1, \"e\":{} }");
    double x = 0;
    assert_true(robo__json_is_number(robo__json_get(v, "a.b"), &x));
    assert_true(x == 2);
    assert_null(robo__json_get(v, "a.c").at);
    assert_null(robo__json_get(v, "a.b.c").at);
    assert_null(robo__json_get(v, "e.b").at);
    assert_null(robo__json_get(v, "").at);
    assert_null(robo__json_get(robo__json_get(v, "none"), "a").at);
    assert_int_equal(*robo__json_get(v, "ab").at, '[');
    assert_null(robo__json_get(read("{\"b\\u0061\":1}"), "b").at);
    assert_non_null(robo__json_get(read("{\"b\\u0061\":1}"), "ba").at);
}

TEST(arrays_have_elements)
{
    const struct robo__json_value v = read("[ 1 , [2], \"3\" ]");
    struct robo__json_value element = { NULL, NULL };
    char got[8] = "";
    while (robo__json_next(v, &element))
        strncat(got, element.at, 1);
    assert_string_equal(got, "1[\"");
    element.at = NULL;
    assert_false(robo__json_next(read("[ ]"), &element));
    assert_false(robo__json_next(read("{}"), &element));
    assert_false(robo__json_next((struct robo__json_value){ NULL, NULL }, &element));
}

TEST(numbers_and_texts)
{
    double x = 7;
    char text[6] = "";
    assert_false(robo__json_is_number(read("\"1\""), &x));
    assert_false(robo__json_is_number(read("1e999"), &x));
    assert_true(robo__json_is_number(read("-0.25e1"), &x) && x == -2.5);
    assert_false(robo__json_is_count(read("-1"), 9, &x));
    assert_false(robo__json_is_count(read("1.5"), 9, &x));
    assert_false(robo__json_is_count(read("10"), 9, &x));
    assert_true(robo__json_is_count(read("9"), 9, &x) && x == 9);
    assert_true(robo__json_is_text(read("\"a\\u0062\\n\\u20ac\""), text, sizeof text));
    assert_string_equal(text, "ab??");
    assert_true(robo__json_is_text(read("\"\xe2\x82\xac\\\"\""), text, sizeof text));
    assert_string_equal(text, "\xe2\x82\xac\"");
    memset(text, 'x', sizeof text);
    assert_false(robo__json_is_text(read("\"123456\""), text, sizeof text));
    assert_string_equal(text, "");
    memset(text, 'x', sizeof text);
    assert_false(robo__json_is_text(read("12"), text, sizeof text));
    assert_string_equal(text, "");
    assert_true(robo__json_is_text(read("\"12345\""), text, sizeof text));
    assert_string_equal(text, "12345");
    assert_false(robo__json_is_text((struct robo__json_value){ NULL, NULL }, text, sizeof text));
}
