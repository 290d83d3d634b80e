/* Lines of the Gamebots protocol, as real programs write them. What they write is that of the published clients that spec/gamebots.md
 * names, and of the server of USARSim. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "gamebots/line.h"

static struct robo__gb_line line;

static struct robo__gb_text text(const char *words)
{
    return (struct robo__gb_text){ words, strlen(words) };
}

static void parse(const char *words)
{
    assert_true(robo__gb_parse(text(words), &line));
}

/* Type and groups as "TYPE name=value name=value". */
static void expect(const char *wanted)
{
    char got[2048];
    int n = snprintf(got, sizeof got, "%.*s", (int)line.type.n, line.type.at);
    for (unsigned i = 0; i < line.groups; i++)
        n += snprintf(got + n, sizeof got - (size_t)n, " %.*s=%.*s", (int)line.group[i].name.n,
                      line.group[i].name.at, (int)line.group[i].value.n, line.group[i].value.at);
    assert_string_equal(got, wanted);
}

/* ---- grammar ---- */

TEST(a_line_is_a_type_and_groups)
{
    parse("DRIVE {Left 1.0} {Right -1.0}");
    expect("DRIVE Left=1.0 Right=-1.0");
    parse("GETSTARTPOSES");
    expect("GETSTARTPOSES");
}

TEST(groups_may_touch_each_other_and_the_type)
{
    parse("DRIVE {Left 1}{Right 2}");
    expect("DRIVE Left=1 Right=2");
    parse("Com1{a b}");
    expect("Com1 a=b");
}

TEST(blanks_may_stand_anywhere)
{
    parse("  \tINIT   {  ClassName   USARBot.P2AT  }   { Location  4.5, 1.9,  1.8 }  ");
    expect("INIT ClassName=USARBot.P2AT Location=4.5, 1.9,  1.8");
}

TEST(a_group_of_one_word_has_an_empty_value)
{
    parse("SET {Type Camera} {Opcode Zoom} {0.5}");
    expect("SET Type=Camera Opcode=Zoom 0.5=");
}

TEST(repeated_names_keep_their_order)
{
    parse("MISPKG {Name Arm} {Link 1} {Value 0.5} {Link 2} {Value -1}");
    expect("MISPKG Name=Arm Link=1 Value=0.5 Link=2 Value=-1");
    assert_memory_equal(robo__gb_find(&line, "link").at, "1", 1);
}

TEST(what_is_whole_is_taken_and_the_rest_is_dropped)
{
    parse("DRIVE {Left 1} and more {Right 2} or so");
    expect("DRIVE Left=1 Right=2");
    assert_int_equal(line.dropped, 2);
    parse("DRIVE {Left 1} {Right 2");
    expect("DRIVE Left=1");
    assert_int_equal(line.dropped, 1);
    parse("DRIVE } {Left 1} {} { }");
    expect("DRIVE Left=1");
    assert_int_equal(line.dropped, 3);
}

TEST(braces_do_not_nest)
{
    parse("STA {A {B 1} C} {D 2}");
    expect("STA A={B 1 D=2");
}

TEST(a_line_without_a_type_is_none)
{
    assert_false(robo__gb_parse(text(""), &line));
    assert_false(robo__gb_parse(text("   "), &line));
    assert_false(robo__gb_parse(text("{Left 1}"), &line));
    assert_int_equal(line.groups, 0);
}

TEST(names_and_types_are_compared_without_case)
{
    parse("Drive {LEFT 1} {classname x}");
    assert_true(robo__gb_is(line.type, "DRIVE"));
    assert_non_null(robo__gb_find(&line, "Left").at);
    assert_non_null(robo__gb_find(&line, "ClassName").at);
    assert_null(robo__gb_find(&line, "Lef").at);
    assert_null(robo__gb_find(&line, "Lefty").at);
}

TEST(high_bytes_and_nul_are_kept_as_they_are)
{
    static const char bytes[] = "INIT {Name R\xf6\x00t}";
    char name[8];
    assert_true(robo__gb_parse((struct robo__gb_text){ bytes, sizeof bytes - 1 }, &line));
    assert_int_equal(robo__gb_find(&line, "Name").n, 4);
    assert_string_equal(robo__gb_copy(robo__gb_find(&line, "Name"), name, sizeof name), "R\xf6t");
}

TEST(a_line_with_more_groups_than_there_is_room_for_says_nothing)
{
    char many[8 * (ROBO__GB_GROUPS + 2)] = "MISPKG";
    for (int i = 0; i < ROBO__GB_GROUPS; i++)
        strcat(many, "{a 1}");
    parse(many);
    assert_int_equal(line.groups, ROBO__GB_GROUPS);
    assert_false(line.crowded);
    strcat(many, "{}"); /* no group */
    parse(many);
    assert_int_equal(line.dropped, 1);
    strcat(many, "{b 2}");
    assert_false(robo__gb_parse(text(many), &line));
    assert_true(line.crowded);
    parse("DRIVE {Left 1}");
    assert_false(line.crowded);
}

/* ---- framing ---- */

static struct robo__gb_reader reader;

/* Feeds a stream in pieces of that many bytes; the lines of it, with | behind each, and ! for one that is too long. */
static char *lines_of(const char *bytes, size_t n, size_t piece)
{
    static char got[4096];
    char *waiting = malloc(n + 1);
    size_t there = 0, came = 0;
    got[0] = 0;
    assert_non_null(waiting);
    memset(&reader, 0, sizeof reader);
    while (came < n) {
        const size_t more = piece < n - came ? piece : n - came;
        memcpy(waiting + there, bytes + came, more);
        there += more;
        came += more;
        struct robo__gb_text one;
        enum robo__gb_step step = ROBO__GB_IS_LINE;
        while (step != ROBO__GB_MORE) {
            size_t used;
            step = robo__gb_next(&reader, waiting, there, &one, &used);
            if (step == ROBO__GB_IS_LINE)
                sprintf(got + strlen(got), "%.*s|", (int)one.n, one.at);
            else if (step == ROBO__GB_TOO_LONG)
                strcat(got, "!");
            there -= used;
            memmove(waiting, waiting + used, there);
        }
    }
    free(waiting);
    return got;
}

TEST(a_line_ends_at_cr_or_lf_and_empty_ones_are_skipped)
{
    static const char stream[] = "\r\nA\r\nB\n\rC\n\n\n\rD\rE\nF";
    for (size_t piece = 1; piece < sizeof stream; piece++)
        assert_string_equal(lines_of(stream, sizeof stream - 1, piece), "A|B|C|D|E|");
}

TEST(lines_come_joined_and_split_anywhere)
{
    static const char stream[] = "GETSTARTPOSES\r\nINIT {ClassName USARBot.P2AT} {Name R1}\r\n";
    for (size_t piece = 1; piece < sizeof stream; piece++)
        assert_string_equal(lines_of(stream, sizeof stream - 1, piece),
                            "GETSTARTPOSES|INIT {ClassName USARBot.P2AT} {Name R1}|");
}

TEST(what_has_no_end_is_no_line)
{
    assert_string_equal(lines_of("DRIVE {Left 1}", 14, 5), "");
}

TEST(a_line_that_is_too_long_is_dropped_to_its_end)
{
    const size_t n = 1 << 20;
    char *stream = malloc(n + 5);
    assert_non_null(stream);
    memset(stream, 'x', n);
    memcpy(stream, "A\n", 2);
    memcpy(stream + n, "\nB\n\n", 5);
    assert_string_equal(lines_of(stream, n + 4, 4096), "A|!B|");
    assert_int_equal(reader.too_long, 1);
    assert_string_equal(lines_of(stream, n + 4, n + 4), "A|!B|");
    free(stream);
}

TEST(a_line_of_the_greatest_length_is_taken)
{
    char *stream = malloc(ROBO__GB_LINE + 2);
    struct robo__gb_text one;
    size_t used;
    assert_non_null(stream);
    memset(stream, 'x', ROBO__GB_LINE + 1);
    stream[ROBO__GB_LINE] = '\n';
    memset(&reader, 0, sizeof reader);
    assert_int_equal(robo__gb_next(&reader, stream, ROBO__GB_LINE, &one, &used), ROBO__GB_MORE);
    assert_int_equal(robo__gb_next(&reader, stream, ROBO__GB_LINE + 1, &one, &used),
                     ROBO__GB_IS_LINE);
    assert_int_equal(one.n, ROBO__GB_LINE);
    free(stream);
}

TEST(bytes_are_looked_at_once)
{
    char stream[1000];
    struct robo__gb_text one;
    size_t used;
    memset(stream, 'x', sizeof stream);
    memset(&reader, 0, sizeof reader);
    robo__gb_next(&reader, stream, 999, &one, &used);
    assert_int_equal(used, 0);
    assert_int_equal(reader.looked, 999);
    stream[500] = '\n'; /* had it been looked at again, this would end the line */
    assert_int_equal(robo__gb_next(&reader, stream, 1000, &one, &used), ROBO__GB_MORE);
}

/* ---- values ---- */

static void expect_number(const char *words, double wanted)
{
    double value = -99;
    assert_null(robo__gb_number(text(words), &value));
    assert_float_equal(value, wanted, 0);
}

static void expect_no_number(const char *words, const char *why)
{
    double value = -99;
    const char *got = robo__gb_number(text(words), &value);
    assert_non_null(got);
    assert_non_null(strstr(got, why));
    assert_float_equal(value, -99, 0);
}

TEST(numbers_are_those_of_real_clients)
{
    expect_number("1.0", 1);
    expect_number(".4", 0.4);
    expect_number("-.5", -0.5);
    expect_number("+2", 2);
    expect_number("020", 20);
    expect_number("1e-3", 0.001);
    expect_number("1E3", 1000);
    expect_number("3.", 3);
    expect_number(" 0.349 ", 0.349);
}

TEST(what_is_no_number_is_told)
{
    expect_no_number("", "expected a number");
    expect_no_number("one", "expected a number");
    expect_no_number("1.0.0", "expected a number");
    expect_no_number("0x10", "expected a number");
    expect_no_number("nan", "expected a number");
    expect_no_number("inf", "expected a number");
    expect_no_number("1e10", "at most 1e9");
    expect_no_number("1e999", "at most 1e9");
    expect_no_number("1 2", "expected a number");
}

TEST(a_decimal_comma_is_told)
{
    expect_no_number("1,5", "expected a point as the decimal mark, not a comma");
}

TEST(whole_numbers)
{
    int n = 0;
    assert_null(robo__gb_whole(text("3"), &n));
    assert_int_equal(n, 3);
    assert_null(robo__gb_whole(text("2.0"), &n));
    assert_int_equal(n, 2);
    assert_non_null(robo__gb_whole(text("2.5"), &n));
    assert_non_null(robo__gb_whole(text(""), &n));
}

TEST(booleans_are_any_case_and_any_word)
{
    static const char *const yes[] = { "true", "True", "TRUE", "1", "yes", "on", "ON" },
                             *const no[] = { "false", "False", "0", "no", "off" };
    bool value;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        value = false;
        assert_null(robo__gb_boolean(text(yes[i]), &value));
        assert_true(value);
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        value = true;
        assert_null(robo__gb_boolean(text(no[i]), &value));
        assert_false(value);
    }
    assert_non_null(robo__gb_boolean(text("perhaps"), &value));
    assert_non_null(robo__gb_boolean(text(""), &value));
}

static void expect_vector(const char *words, double x, double y, double z)
{
    double v[3];
    const char *why = robo__gb_vector(text(words), v);
    if (why)
        fail_msg("%s: %s", words, why);
    assert_float_equal(v[0], x, 0);
    assert_float_equal(v[1], y, 0);
    assert_float_equal(v[2], z, 0);
}

TEST(vectors_have_commas_or_blanks_or_both)
{
    expect_vector("4.5,1.9,1.8", 4.5, 1.9, 1.8);
    expect_vector("4.5, 1.9, 1.8", 4.5, 1.9, 1.8);
    expect_vector("4.5 , 1.9 , 1.8", 4.5, 1.9, 1.8);
    expect_vector("4.5 ,1.9 ,1.8", 4.5, 1.9, 1.8);
    expect_vector("4.5 1.9 1.8", 4.5, 1.9, 1.8);
    expect_vector("  4.5   1.9\t1.8 ", 4.5, 1.9, 1.8);
    expect_vector(".4,-.5,020", 0.4, -0.5, 20);
    expect_vector("0,0,0", 0, 0, 0);
}

TEST(between_blanks_a_comma_is_a_decimal_one)
{
    expect_vector("47,17 3,5 -0,25", 47.17, 3.5, -0.25);
    expect_vector("47,17, 3,5, 1", 47.17, 3.5, 1);
}

static void expect_no_vector(const char *words, const char *why)
{
    double v[3];
    const char *got = robo__gb_vector(text(words), v);
    assert_non_null(got);
    assert_non_null(strstr(got, why));
}

TEST(a_vector_that_could_be_read_in_two_ways_is_told)
{
    expect_no_vector("1,5,2,5,3,5", "a point as the decimal mark");
}

TEST(what_is_no_vector_is_told)
{
    expect_no_vector("", "expected three numbers");
    expect_no_vector("1,2", "expected three numbers");
    expect_no_vector("1 2", "expected three numbers");
    expect_no_vector("1,2,3,4", "expected three numbers");
    expect_no_vector("1 2 3 4", "expected three numbers");
    expect_no_vector("1,,3", "expected a number");
    expect_no_vector("1 x 3", "expected a number");
    expect_no_vector("1.000,5 2 3", "expected a point");
}

TEST(a_list_of_numbers_has_commas_blanks_or_both_between_them)
{
    static const char *const lists[] = { "0.5,-1,.25", "0.5 -1 .25", " 0.5, -1 ,.25 ",
                                         "0.5\t-1,.25" };
    double v[4];
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_null(robo__gb_numbers(text(lists[i]), v, 3, &n));
        assert_int_equal(n, 3);
        assert_float_equal(v[0], 0.5, 0);
        assert_float_equal(v[1], -1, 0);
        assert_float_equal(v[2], 0.25, 0);
    }
    assert_null(robo__gb_numbers(text("7"), v, 3, &n));
    assert_int_equal(n, 1);
    assert_string_equal(robo__gb_numbers(text("1 2 3 4"), v, 3, &n), "expected fewer numbers");
    static const char *const wrong[] = { "", " ", "1,,2", ",1", "1 x", "1;2", "1 nan" };
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_non_null(robo__gb_numbers(text(wrong[i]), v, 3, &n));
}
