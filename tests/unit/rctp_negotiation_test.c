/* RCTP's negotiation, with a robot that is made of answers: every reply of spec/rctp.md with its headers. The first conversation is the
 * one that paper 001 prints (4.3.2), with the version before each status, as HTTP/1.1 has it. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "rctp/negotiation.h"

/* ---- a robot ---- */

#define GROUP .group = { .unit = 10000000, .interval = { -1, 0 } }

static const struct robo__rcml_parameter three[] = { { .name = "pan" },
                                                     { .name = "tilt" },
                                                     { .name = "roll" } },
                                         mixed[] = { { .type = ROBO__RCML_INTEGER },
                                                     { .type = ROBO__RCML_BOOL },
                                                     { .type = ROBO__RCML_FLOAT } };
static const struct robo__rcml_object head_and_arm[] = {
    { .name = "head", .kind = ROBO__RCML_CONTROL, GROUP, .parameter = three, .parameters = 3 },
    { .name = "arm", .kind = ROBO__RCML_CONTROL, GROUP, .parameter = mixed, .parameters = 3 },
    { .name = "command", .kind = ROBO__RCML_TEXT },
    { .name = "head_state", .kind = ROBO__RCML_CONTROL, .output = true, GROUP, .parameter = three, .parameters = 3 },
    { .name = "eye", .kind = ROBO__RCML_VIDEO, .output = true },
}, one[] = { { .name = "wheel", .kind = ROBO__RCML_CONTROL, GROUP, .parameter = three, .parameters = 1 },
                                            { .name = "t\xc3\xaate", .kind = ROBO__RCML_TEXT } };
static const struct robo__rcml_objects robots[] = {
    { .count = 5, .inputs = 3, .object = head_and_arm }, { .count = 2, .inputs = 1, .object = one }
};

static struct robot {
    const struct robo__rcml_objects *objects;
    struct robo__rctp_assigned answer; /* to the next ASSIGN */
    struct robo__rctp_holder holder;
    char assigned[64], released[64];
    double value[3];
    uint16_t may_go;
    int error;
    struct robo__rctp_go go;
} robot;

static int choose(void *owner, const char *name)
{
    struct robot *r = owner;
    if (r->error < 0)
        return r->error;
    const struct robo__rcml_objects *found = strcmp(name, "asimo") == 0 || !name[0] ? &robots[0]
                                             : strcmp(name, "cart") == 0            ? &robots[1]
                                                                                    : NULL;
    if (!found)
        return ROBO_ENONE; /* the one before is still there */
    r->objects = found;
    return 0;
}

static const struct robo__rcml_objects *objects(void *owner)
{
    return ((struct robot *)owner)->objects;
}

static struct robo__rctp_assigned assign(void *owner, const char *name, robo_time now)
{
    struct robot *r = owner;
    snprintf(r->assigned, sizeof r->assigned, "%s", name);
    struct robo__rctp_assigned a = r->answer;
    a.object = robo__rcml_find(r->objects, name);
    if (a.code == 201 && a.id == 0)
        a.id = (uint8_t)(1 + (a.object - r->objects->object));
    return a;
}

static void holder(void *owner, struct robo__rctp_holder *out, robo_time now)
{
    struct robot *r = owner;
    *out = r->holder;
}

static uint16_t release(void *owner, const char *name, robo_time now)
{
    struct robot *r = owner;
    snprintf(r->released, sizeof r->released, "%s", name);
    return 201;
}

static void values(void *owner, const struct robo__rcml_object *object, double *value)
{
    memcpy(value, ((struct robot *)owner)->value, object->parameters * sizeof *value);
}

static uint16_t may_go(void *owner, const struct robo__rctp_go *go)
{
    struct robot *r = owner;
    r->go = *go;
    return r->may_go;
}

static bool open_datagrams(void *owner, uint32_t *token, uint16_t *at)
{
    *token = 0xa1b2c3;
    *at = 4711;
    return true;
}

static const struct robo__rctp_port port = { choose,  objects, assign, holder,
                                             release, values,  may_go, open_datagrams };

/* ---- a conversation ---- */

static struct robo__rctp_negotiation negotiation;
static char reply[8192];
static bool begun;

static int begin(void **state)
{
    robot = (struct robot){ .answer = { .code = 201, .controls = true, .deadman = 500000000 },
                            .value = { 30, 10, 5 },
                            .may_go = 201 };
    negotiation = (struct robo__rctp_negotiation){ .port = &port, .owner = &robot };
    begun = false;
    return 0;
}

/* One request, answered. */
static const char *ask(const char *text)
{
    static const struct robo__http_limits limits = {
        .line = 1024, .head = 4096, .headers = 32, .body = 100
    };
    const struct robo__http_dialect dialect = { "RCTP/1.0", limits, limits };
    struct robo__http_reader reader;
    struct robo__http_request request;
    size_t used, n;
    robo__http_open(&reader, &dialect, 0);
    assert_int_equal(
        robo__http_read(&reader, (const uint8_t *)text, strlen(text), 0, &request, &used),
        ROBO__HTTP_HEAD);
    const size_t room = robo__rctp_prepare(&negotiation, &request);
    assert_true(room < sizeof reply);
    begun = robo__rctp_answer(&negotiation, &request, 0, reply, room, &n) == ROBO__RCTP_BEGUN;
    assert_true(n > 0);
    reply[n] = 0;
    return reply;
}

static void expect_status(const char *request, int status)
{
    char first[32];
    snprintf(first, sizeof first, "RCTP/1.0 %d ", status);
    assert_memory_equal(ask(request), first, strlen(first));
    assert_string_equal(reply + strlen(reply) - 4, "\r\n\r\n");
}

static void expect_header(const char *header)
{
    char line[400];
    snprintf(line, sizeof line, "\r\n%s\r\n", header);
    if (!strstr(reply, line))
        print_message("%s", reply);
    assert_non_null(strstr(reply, line));
}

FIXTURE(begin, NULL);

TEST(a_robot_that_is_not_there_changes_nothing)
{
    expect_status("ASSIGN /cart/wheel RCTP/1.0\r\n\r\n", 201);
    expect_status("RELEASE wheel RCTP/1.0\r\n\r\n", 200);
    expect_status("ASSIGN /nobody/wheel RCTP/1.0\r\n\r\n", 404);
    expect_header("Message: there is no such robot");
    assert_null(strstr(reply, "Objects"));
    expect_status("ASSIGN wheel RCTP/1.0\r\n\r\n", 201); /* of the one that was assigned before */
}

TEST(the_unit_of_time_stamps_is_the_inputs_)
{
    static const struct robo__rcml_object mixed_units[] = {
        { .name = "eye_state",
          .kind = ROBO__RCML_CONTROL,
          .output = true,
          GROUP,
          .parameter = three,
          .parameters = 1 },
        { .name = "wheel",
          .kind = ROBO__RCML_CONTROL,
          .group = { .unit = 1000000 },
          .parameter = three,
          .parameters = 1 },
    };
    static const struct robo__rcml_objects seer = { .count = 2,
                                                    .inputs = 1,
                                                    .object = mixed_units };
    expect_status("ASSIGN head RCTP/1.0\r\n\r\n", 201);
    robot.objects = &seer;
    expect_status("GO RCTP/1.0\r\n\r\n", 201);
    expect_header("Time-Unit-ms: 1");
}

TEST(the_paper_is_played)
{
    assert_string_equal(ask("ASSIGN head RCTP/1.0\r\n\r\n"),
                        "RCTP/1.0 201 OK\r\nID: 1\r\nCurrent Value: 30 10 5\r\n"
                        "Current-Value: 30 10 5\r\nDirection: input\r\nMode: control\r\n"
                        "Layout: 3f stamp=0 mask=no\r\nCommand-Interval: -1 0\r\n"
                        "Command-Mode: time\r\nControl-Lock: no\r\nDeadman-ms: 500\r\n\r\n");
    assert_string_equal(robot.assigned, "head");
    expect_status("ASSIGN arm RCTP/1.0\r\n\r\n", 201);
    expect_header("ID: 2");
    assert_string_equal(ask("GO RCTP/1.0\r\n\r\n"), "RCTP/1.0 201 OK\r\nTime-Unit-ms: 10\r\n\r\n");
    assert_true(begun);
}

TEST(datagrams_are_offered_to_who_wants_them)
{
    expect_status("ASSIGN arm RCTP/1.0\n\n", 201);
    expect_status("GO RCTP/1.0\nTransport: pigeon\n\n", 400);
    expect_status("GO RCTP/1.0\nTransport: udp\n\n", 201);
    expect_header("Session: 00a1b2c3");
    expect_header("UDP-Port: 4711");
}

TEST(values_are_told_in_their_types)
{
    robot.value[0] = -7, robot.value[1] = 2, robot.value[2] = 1.0 / 3;
    expect_status("ASSIGN arm RCTP/1.0\n\n", 201);
    expect_header("Current Value: -7 1 0.333333333");
    expect_header("Current-Value: -7 1 0.333333333");
    expect_header("Layout: 1i1b1f stamp=0 mask=no");
    robot.value[2] = -1.23456789e-308;
    expect_status("ASSIGN head RCTP/1.0\n\n", 201);
    expect_header("Current Value: -7 2 -1.23456789e-308");
}

TEST(what_has_no_values_tells_none)
{
    assert_string_equal(ask("ASSIGN command RCTP/1.0\n\n"),
                        "RCTP/1.0 201 OK\r\nID: 3\r\nDirection: input\r\nMode: control\r\n"
                        "Layout: text stamp=0 mask=no\r\n\r\n");
    robot.answer.controls = false;
    assert_string_equal(ask("ASSIGN eye RCTP/1.0\n\n"),
                        "RCTP/1.0 201 OK\r\nID: 5\r\nDirection: output\r\nMode: watch\r\n\r\n");
}

TEST(a_robot_may_stand_before_the_object)
{
    expect_status("ASSIGN cart/wheel RCTP/1.0\n\n", 201);
    assert_string_equal(robot.assigned, "wheel");
    expect_status("ASSIGN /cart/wheel RCTP/1.0\n\n", 201);
    expect_status("ASSIGN wheel RCTP/1.0\n\n", 201);
    /* one live session is about one robot */
    expect_status("ASSIGN asimo/head RCTP/1.0\n\n", 409);
    expect_status("RELEASE wheel RCTP/1.0\n\n", 200);
    expect_status("ASSIGN asimo/head RCTP/1.0\n\n", 201);
    expect_status("ASSIGN nobody/head RCTP/1.0\n\n", 409);
    begin(NULL);
    expect_status("ASSIGN nobody/head RCTP/1.0\n\n", 404);
    assert_null(strstr(reply, "Objects:"));
    /* neither a question nor what is refused changes the robot that is meant by a name alone */
    expect_status("OPTIONS cart RCTP/1.0\n\n", 200);
    expect_header("Objects: wheel t\xc3\xaate");
    expect_status("ASSIGN wheel RCTP/1.0\n\n", 404);
    expect_status("ASSIGN cart/nose RCTP/1.0\n\n", 404);
    expect_status("ASSIGN wheel RCTP/1.0\n\n", 404);
    expect_status("RELEASE cart/wheel RCTP/1.0\n\n", 412);
    expect_status("ASSIGN cart/wheel RCTP/1.0\nDof: 6\n\n", 406);
    expect_status("ASSIGN head RCTP/1.0\n\n", 201);
    assert_ptr_equal(robot.objects, &robots[0]);
    begin(NULL);
    strcpy(negotiation.robot, "cart");
    expect_status("ASSIGN wheel RCTP/1.0\n\n", 201);
}

TEST(names_beyond_ascii_are_sent_as_they_are_or_escaped)
{
    expect_status("ASSIGN cart/t\xc3\xaate RCTP/1.0\n\n", 201);
    assert_string_equal(robot.assigned, "t\xc3\xaate");
    expect_status("RELEASE t%C3%AAte RCTP/1.0\n\n", 200);
    expect_status("ASSIGN /cart/t%c3%aate RCTP/1.0\n\n", 201);
    expect_status("ASSIGN t%C RCTP/1.0\n\n", 404);
    expect_status("ASSIGN t%00te RCTP/1.0\n\n", 404);
}

TEST(what_is_not_there_is_not_found)
{
    expect_status("ASSIGN hed RCTP/1.0\n\n", 404);
    expect_header("Objects: head arm command head_state eye");
    expect_status("ASSIGN asimo/ RCTP/1.0\n\n", 404);
    expect_status("ASSIGN a/b/c RCTP/1.0\n\n", 404);
    expect_status("RELEASE hed RCTP/1.0\n\n", 404);
    char name[200] = "ASSIGN ";
    memset(name + 7, 'x', 100);
    strcat(name, " RCTP/1.0\n\n");
    expect_status(name, 404);
    expect_status("ASSIGN RCTP/1.0\n\n", 404);
    begin(NULL);
    robot.error = ROBO_ENOMEM;
    expect_status("ASSIGN head RCTP/1.0\n\n", 503);
}

TEST(devices_that_make_no_pair_are_refused)
{
    static const struct {
        const char *headers;
        int status;
    } table[] = { { "Dof: 3\n", 201 },
                  { "Dof: 3\nType: control\n", 201 },
                  { "Type: Control\n", 201 },
                  { "Dof: 6\n", 406 },
                  { "Dof: 0\n", 406 },
                  { "Dof: 3\nType: text\n", 406 },
                  { "Dof: three\n", 400 },
                  { "Dof: -3\n", 400 },
                  { "Dof: \n", 400 },
                  { "Dof: 3.0\n", 400 },
                  { "Dof: 18446744073709551619\n", 400 },
                  { "Type: joystick\n", 400 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[200];
        begin(NULL);
        snprintf(text, sizeof text, "ASSIGN head RCTP/1.0\n%s\n", table[i].headers);
        expect_status(text, table[i].status);
        assert_int_equal(robot.assigned[0] != 0, table[i].status == 201);
        if (table[i].status == 406) {
            expect_header("Dof: 3");
            expect_header("Type: control");
        }
    }
    expect_status("ASSIGN command RCTP/1.0\nDof: 0\n\n", 406);
    expect_header("Type: text");
    expect_status("ASSIGN command RCTP/1.0\nType: text\n\n", 201);
}

TEST(a_robot_that_another_controls_is_busy)
{
    robot.answer = (struct robo__rctp_assigned){ .code = 409 };
    robot.holder = (struct robo__rctp_holder){ .name = "" };
    robot.holder = (struct robo__rctp_holder){ "anna\r\nID: 1", 1500000000 };
    assert_string_equal(
        ask("ASSIGN head RCTP/1.0\r\n\r\n"),
        "RCTP/1.0 409 Busy\r\nMessage: another client controls the robot; its outputs can be "
        "assigned\r\nHolder: anna  ID: 1\r\nRetry-After: 2\r\nWatch: yes\r\n\r\n");
    assert_int_equal(negotiation.assigned, 0);
    expect_status("GO RCTP/1.0\n\n", 412);
    /* a refusal leaves what was assigned before */
    robot.answer = (struct robo__rctp_assigned){ .code = 201 };
    expect_status("ASSIGN head_state RCTP/1.0\n\n", 201);
    expect_header("Mode: watch");
    robot.answer = (struct robo__rctp_assigned){ .code = 409 };
    robot.holder = (struct robo__rctp_holder){ .name = "" };
    expect_status("ASSIGN arm RCTP/1.0\n\n", 409);
    expect_header("Retry-After: 1");
    expect_status("GO RCTP/1.0\n\n", 201);
}

TEST(a_robot_that_is_not_ready_is_unavailable)
{
    robot.answer = (struct robo__rctp_assigned){ .code = 503 };
    expect_status("ASSIGN head RCTP/1.0\n\n", 503);
    expect_header("Retry-After: 1");
    assert_null(strstr(reply, "Panic:"));
    robot.answer.panic = true;
    expect_status("ASSIGN head RCTP/1.0\n\n", 503);
    expect_header("Panic: yes");
    robot.answer = (struct robo__rctp_assigned){ .code = 403 };
    expect_status("ASSIGN head RCTP/1.0\n\n", 403);
}

TEST(nothing_goes_without_an_object)
{
    expect_status("GO RCTP/1.0\n\n", 412);
    assert_false(begun);
    expect_status("ASSIGN head RCTP/1.0\n\n", 201);
    expect_status("ASSIGN head RCTP/1.0\n\n", 201); /* the same again */
    expect_header("ID: 1");
    expect_status("RELEASE head RCTP/1.0\n\n", 200);
    assert_string_equal(robot.released, "head");
    expect_status("RELEASE head RCTP/1.0\n\n", 412);
    expect_status("GO RCTP/1.0\n\n", 412);
}

TEST(go_says_how_the_session_shall_be)
{
    static const char *const bad[] = {
        "Framing: some",  "Report: everything", "Rate: 0",       "Rate: -1",
        "Rate: nan",      "Rate: 1e3",          "Rate:",         "Rate: 1001",
        "Rate: 1.2.3",    "Content-Length: 1",  "Text-Stamp: 3", "Text-Stamp: 0",
        "Text-Stamp: 44", "Text-Stamp:"
    };
    expect_status("ASSIGN head RCTP/1.0\n\n", 201);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "GO RCTP/1.0\n%s\n\n", bad[i]);
        expect_status(text, 400);
        assert_false(begun);
    }
    expect_status("GO RCTP/1.0\nTransfer-Encoding: chunked\n\n", 400);
    robot.may_go = 406;
    expect_status("GO RCTP/1.0\nFraming: none\nReport: errors\nRate: 12.5\n\n", 406);
    assert_true(robot.go.bare);
    assert_int_equal(robot.go.report, ROBO__RCTP_REPORT_ERRORS);
    assert_true(robot.go.rate == 12.5);
    robot.may_go = 201;
    expect_status("GO RCTP/1.0\nReport: all\nRate: 5000\n\n",
                  400); /* which of them it is, is said */
    expect_header("Message: Rate: expected how often a second outputs are told, up to 1000");
    expect_status("GO RCTP/1.0\nFraming: length\nReport: all\nText-Stamp: 4\n\n", 201);
    expect_header("Text-Stamp: 4");
    assert_int_equal(robot.go.text_stamp, 4);
    assert_true(begun);
    assert_false(robot.go.bare);
    assert_int_equal(robot.go.report, ROBO__RCTP_REPORT_ALL);
}

TEST(options_say_what_there_is)
{
    static const char expected[] =
        "RCTP/1.0 200 OK\r\nAllow: ASSIGN, GO, RELEASE, OPTIONS, GET, HEAD\r\n"
        "Objects: head arm command head_state eye\r\n\r\n";
    assert_string_equal(ask("OPTIONS RCTP/1.0\n\n"), expected);
    assert_string_equal(ask("OPTIONS * RCTP/1.0\n\n"), expected);
    assert_string_equal(ask("OPTIONS asimo RCTP/1.0\n\n"), expected);
    expect_status("OPTIONS cart RCTP/1.0\n\n", 200);
    expect_header("Objects: wheel t\xc3\xaate");
    expect_status("OPTIONS nobody RCTP/1.0\n\n", 404);
    robot.holder = (struct robo__rctp_holder){ "anna 3", 1500000000 };
    expect_status("OPTIONS RCTP/1.0\n\n", 200);
    expect_header("Holder: anna 3");
    expect_header("Retry-After: 2");
    robot.holder = (struct robo__rctp_holder){ .name = "" };
    expect_status("OPTIONS aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee RCTP/1.0\n\n", 404);
    expect_status("PUT head RCTP/1.0\n\n", 405);
    expect_header("Allow: ASSIGN, GO, RELEASE, OPTIONS, GET, HEAD");
}

TEST(refusals_from_elsewhere_have_rctp_s_statuses)
{
    static const int table[][2] = { { 400, 400 }, { 414, 400 }, { 431, 400 }, { 413, 400 },
                                    { 501, 400 }, { 417, 400 }, { 408, 408 }, { 505, 505 },
                                    { 401, 401 }, { 421, 421 } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char first[32];
        size_t n = robo__rctp_refuse(table[i][0], "why", reply, sizeof reply);
        reply[n] = 0;
        snprintf(first, sizeof first, "RCTP/1.0 %d ", table[i][1]);
        assert_memory_equal(reply, first, strlen(first));
        expect_header("Message: why");
    }
}
