/* Talks of protocols whose messages come by a WebSocket: tests/doors/NAME.txt. A line at the margin is an event; lines with six spaces before them
 * are what comes of it, all of it, and are compared. Time is virtual. ROBOTALK_TALKS=write writes them.
 *
 *   robot NAME                 a robot with a base, a head, a laser and a camera, and its file NAME.urdf; ann has more sensors
 *   A joins ADDRESS [PROTOCOL] a client, a to c, and the subprotocol that it offers
 *   A > TEXT                   it sends a text; "A x HEX": bytes
 *   wait SECONDS
 *   NAME moves                 how its base moves, ahead, to the left, and turning to the left
 *   NAME panics                by another client, as NAME resets, NAME stops; NAME goes: it is removed, and "robot NAME" brings another
 *   A stalls                   it does not read, and answers no ping until "A reads"
 *   A leaves */
#include "../kept_log.h"
#include "../scenery.h"
#include "../base_robot.h"
#include "base/readers.h"
#include "camera/test_card.h"
#include "dialled.h"
#include "drivers.h"
#include "fixture_host.h"
#include "../ros/copy.h"
#include "robot/client.h"
#include "ros/topics.h"
#include "robotalk/host.h"

enum { CLIENTS = 3, SHOWN = 1200 };

struct client {
    struct robo__conn conn;
    uint8_t got[1 << 18];
    size_t count;
    bool there, upgraded, stalls;
    char ping[8];
};

static struct client client[CLIENTS];
static FILE *out;

static void settle(struct client *c)
{
    for (bool more = true; more;) {
        size_t n;
        const uint8_t *bytes = robo__conn_output(&c->conn, &n);
        assert_true(c->count + n < sizeof c->got);
        if (n > 0)
            memcpy(c->got + c->count, bytes, n);
        c->count += n;
        robo__conn_written(&c->conn, n);
        more = robo__conn_resume(&c->conn, robo_now(world)) || c->conn.out_count > 0;
    }
}

static void on_kick(struct robo__conn *conn)
{
    settle(robo__container_of(conn, struct client, conn));
}

static void receive(struct client *c, const void *bytes, size_t n)
{
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
}

/* ---- what has come ---- */

static void put_bytes(const uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n && i < 40; i++)
        fprintf(out, "%s%02x", i ? " " : "", at[i]);
}

static void put_frame(char name, const uint8_t *frame, size_t n, const uint8_t *payload)
{
    const unsigned opcode = frame[0] & 15;
    fprintf(out, "      %c ", name);
    if (opcode == 8) {
        fprintf(out, "closed %d %.*s\n", n > 1 ? payload[0] << 8 | payload[1] : 0,
                n > 2 ? (int)n - 2 : 0, payload + 2);
    } else if (opcode == 1) {
        fprintf(out, "< %.*s%s\n", n < SHOWN ? (int)n : 200, payload, n < SHOWN ? "" : "...");
    } else {
        fprintf(out, "<x ");
        put_bytes(payload, n < 13 ? n : 13);
        if (n > 13)
            fprintf(out, " %.*s%s", n < SHOWN ? (int)(n - 13) : 200, payload + 13,
                    n < SHOWN ? "" : "...");
        fprintf(out, "\n");
    }
}

static void send(struct client *c, uint8_t first, const char *payload, size_t n);

static void look(unsigned number)
{
    struct client *c = &client[number];
    const char name = (char)('a' + number);
    size_t at = 0;
    if (!c->upgraded && c->count > 0) {
        const char *end = memmem(c->got, c->count, "\r\n\r\n", 4);
        assert_non_null(end);
        c->got[c->count] = 0;
        const char *line = strstr((char *)c->got, "\r\n"),
                   *chosen = strstr((char *)c->got, "Sec-WebSocket-Protocol: ");
        fprintf(out, "      %c %.*s", name, (int)(line - (char *)c->got), c->got);
        if (chosen && chosen < end)
            fprintf(out, ", %.*s", (int)strcspn(chosen, "\r"), chosen);
        c->upgraded = strstr((char *)c->got, " 101 ") != NULL;
        at = (size_t)(end + 4 - (char *)c->got);
        if (!c->upgraded) {
            fprintf(out, ": %.*s", (int)(c->count - at), c->got + at);
            at = c->count;
        } else {
            fprintf(out, "\n");
        }
    }
    while (at + 2 <= c->count) {
        const uint8_t *frame = c->got + at;
        size_t n = frame[1], head = 2;
        if (n == 126) {
            n = (size_t)frame[2] << 8 | frame[3];
            head = 4;
        } else if (n == 127) {
            n = (size_t)frame[7] << 16 | (size_t)frame[8] << 8 | frame[9];
            head = 10;
        }
        assert_true(at + head + n <= c->count);
        if ((frame[0] & 15) == 9) {
            fprintf(out, "      %c ping\n", name);
            memcpy(c->ping, frame + head, n < 8 ? n : 8);
            if (!c->stalls)
                send(c, 0x8a, c->ping, 8);
        } else {
            put_frame(name, frame, n, frame + head);
        }
        at += head + n;
    }
    c->count = 0;
}

/* ---- events ---- */

static void add_body(const char *name)
{
    static struct robo_link link[] = { { .name = "base" }, { .name = "head" } };
    static struct robo_dof dof[] = {
        { .name = "pan", .axis = { 0, 0, 1 }, .low = -1, .high = 1, .speed = 1, .acceleration = 9 }
    };
    static struct robo_joint joint[] = { { .name = "root", .parent = ROBO_WORLD },
                                         { .name = "neck",
                                           .child = 1,
                                           .dofs = 1,
                                           .servo = ROBO_SERVO_SETPOINT,
                                           .inboard = { 0.1, 0, 0.3 },
                                           .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
    static struct robo_sensor sensor[] = {
        { .name = "lidar",
          .kind = "laser",
          .count = 5,
          .fov = 2,
          .low = 0.1,
          .high = 8,
          .rate = 10,
          .position = { 0.2, 0, 0.1 } },
        { .name = "sonar",
          .kind = "sonar",
          .count = 1,
          .low = 0,
          .high = 5,
          .opening = 0.5,
          .rate = 10 },
        { .name = "spot",
          .kind = "infrared",
          .link = 1,
          .count = 2,
          .low = 0,
          .high = 1,
          .rate = 10 },
        { .name = "imu", .kind = "imu", .count = 9, .rate = 10, .position = { 0, 0, 0.1 } },
        { .name = "cell", .kind = "battery", .count = 3, .rate = 10 },
    };
    static struct robo_camera camera = {
        .name = "eye", .link = 1, .width = 32, .height = 24, .rate = 10, .device = 1
    };
    static const char urdf[] = "<robot name=\"\\rex\"/>\n";
    struct robo_description d = base_robot(name, "sim");
    char path[64], why[128] = "";
    robo_body *body;
    d.deadman = S(0.5);
    d.devices = 2;
    strcpy(d.device[1].driver, "pattern");
    d.links = d.joints = 2;
    d.link = link;
    d.joint = joint;
    d.dofs = 1;
    d.dof = dof;
    d.cameras = 1;
    d.sensors = strcmp(name, "ann") == 0 ? sizeof sensor / sizeof sensor[0] : 1;
    d.sensor = sensor;
    d.battery = d.sensors > 1 ? 1000 : 0;
    d.voltage = d.sensors > 1 ? 12 : 0;
    d.camera = &camera;
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 10;
    if (robo_body_make(&d, &body, why) != 0)
        fail_msg("%s", why);
    assert_int_equal(robo_add_body(world, body, NULL), 0);
    robo_body_release(body);
    snprintf(path, sizeof path, "%s.urdf", name);
    assert_int_equal(robo__files_add(&host.files, path, "application/xml", urdf, sizeof urdf - 1),
                     0);
}

static void join(struct client *c, const char *address, const char *subprotocol)
{
    char text[600];
    if (c->there)
        robo__conn_free(&c->conn);
    memset(c, 0, sizeof *c);
    c->there = true;
    dial(&c->conn, &host, address, on_kick);
    snprintf(
        text, sizeof text,
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s%s%s\r\n",
        *subprotocol ? "Sec-WebSocket-Protocol: " : "", subprotocol, *subprotocol ? "\r\n" : "");
    receive(c, text, strlen(text));
}

/* A frame whose mask is zeros. */
static void send(struct client *c, uint8_t first, const char *payload, size_t n)
{
    static uint8_t bytes[1 << 17];
    size_t at = 0;
    bytes[at++] = first;
    bytes[at++] = (uint8_t)(0x80 | (n < 126 ? n : n < 65536 ? 126 : 127));
    for (int shift = n < 126 ? -8 : n < 65536 ? 8 : 56; shift >= 0; shift -= 8)
        bytes[at++] = (uint8_t)(n >> shift);
    memset(bytes + at, 0, 4);
    memcpy(bytes + at + 4, payload, n);
    receive(c, bytes, at + 4 + n);
}

static void send_hex(struct client *c, const char *hex)
{
    char bytes[600];
    size_t n = 0;
    unsigned byte;
    for (int used; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
        bytes[n++] = (char)byte;
    hex += strspn(hex, " ");
    if (*hex) /* the rest as it is */
        n += (size_t)snprintf(bytes + n, sizeof bytes - n, "%s", hex);
    send(c, 0x82, bytes, n);
}

/* Another program stops the robot, or goes on. */
static struct robo__session *other;

static void act(robo_robot *at, const char *what)
{
    const struct robo__identity who = { .number = 99, .name = "somebody" };
    const struct robo__session_request direct = { .who = &who };
    struct robo_cmd stop = { .op = ROBO_STOP, .id = 1, .start = ROBO_AT_ONCE };
    struct robo_result result[2];
    size_t n = 2;
    char text[128];
    if (strcmp(what, "panics") == 0)
        robo_panic(at);
    else if (strcmp(what, "resets") == 0)
        robo_reset(at);
    else if (strcmp(what, "goes") == 0)
        robo_remove(at);
    else if (!other)
        assert_int_equal(
            robo__session_open(at, NULL, &direct, NULL, NULL, robo_now(world), &other, text), 0);
    if (strcmp(what, "stops") == 0)
        robo__session_commands_now(other, &stop, 1, result, &n, robo_now(world));
}

static bool run(const char *line)
{
    struct client *c = line[0] >= 'a' && line[0] < 'a' + CLIENTS ? &client[line[0] - 'a'] : NULL;
    char word[200], protocol[100] = "", name[32];
    double x;
    if (sscanf(line, "robot %31s", name) == 1) {
        add_body(name);
    } else if (sscanf(line, "wait %lf", &x) == 1) {
        robo_advance(world, robo_now(world) + S(x));
    } else if (c && sscanf(line + 1, " joins %199s %99[^\n]", word, protocol) >= 1) {
        join(c, word, protocol);
    } else if (c && strncmp(line + 1, " >", 2) == 0) {
        send(c, 0x81, line + 3 + (line[3] == ' '), strlen(line + 3 + (line[3] == ' ')));
    } else if (c && strncmp(line + 1, " x ", 3) == 0) {
        send_hex(c, line + 4);
    } else if (c && strcmp(line + 1, " stalls") == 0) {
        c->stalls = true;
    } else if (c && strcmp(line + 1, " reads") == 0) {
        c->stalls = false;
        send(c, 0x8a, c->ping, 8);
    } else if (c && strcmp(line + 1, " leaves") == 0) {
        robo__conn_free(&c->conn);
        c->there = false;
    } else if (sscanf(line, "%31s %199s", name, word) == 2) {
        robo_robot *of = robo_find(world, name);
        struct robo_state s;
        if (!of)
            return false;
        robo_read(of, &s, sizeof s);
        if (strcmp(word, "moves") == 0)
            fprintf(out, "      %g %g %g\n", s.twist[0], s.twist[1], s.spin[2]);
        else
            act(of, word);
        robo_release(of);
    } else {
        return false;
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        if (client[i].there)
            look(i);
    return true;
}

static void open_world(void)
{
    const struct robo_options options = virtual_options(1);
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add_driver(world, &robo_pattern_driver), 0);
    robo__host_init(&host, world, NULL);
}

static void talk(const char *name)
{
    char path[100], line[1 << 15], *made;
    size_t size;
    open_world();
    snprintf(path, sizeof path, "tests/doors/%s.txt", name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    out = open_memstream(&made, &size);
    char *whole = calloc(1, 1 << 17);
    while (fgets(line, sizeof line, in)) {
        strcat(whole, line);
        if (line[0] == ' ')
            continue;
        fputs(line, out);
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#' && !run(line))
            fail_msg("%s: what is this: %s", path, line);
    }
    fclose(in);
    fclose(out);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (client[i].there) {
            robo__conn_free(&client[i].conn);
            client[i].there = false;
        }
    if (other)
        robo__session_close(other);
    other = NULL;
    robo__host_free(&host);
    robo_close(world);
    const char *mode = getenv("ROBOTALK_TALKS");
    if (mode && strcmp(mode, "write") == 0) {
        FILE *to = fopen(path, "w");
        fputs(made, to);
        fclose(to);
    } else if (strcmp(made, whole) != 0) {
        size_t at = 0;
        while (made[at] == whole[at])
            at++;
        print_error("%s differs: %.400s\n", path, made + (at > 100 ? at - 100 : 0));
        fail();
    }
    free(whole);
    free(made);
}

TEST(rosbridge)
{
    talk("rosbridge");
}

TEST(foxglove)
{
    talk("foxglove");
}

/* Each topic in CDR is a message of its type. */
static void read_back(void *owner, const char *name, enum robo__ros_kind kind)
{
    static const enum robo__ros_form forms[] = { ROBO__ROS_CDR, ROBO__ROS_CDR_HUMBLE };
    struct robo__json bytes = { NULL }, text = { NULL };
    struct robo__ros_topic topic;
    struct robo__ros_in in;
    unsigned *written = owner;
    assert_true(robo__ros_find(world, "", name, &topic) && topic.kind == kind);
    for (int i = 0; i < 2; i++) {
        const struct robo__ros_message *m =
            robo__ros_message(i && kind == ROBO__ROS_RANGE ? "sensor_msgs/msg/Range:humble"
                                                           : robo__ros_topics[kind].message->name);
        uint64_t number = 0;
        bytes.used = text.used = 0;
        if (kind == ROBO__ROS_DESCRIPTION
                ? robo__ros_write_description(&bytes, forms[i], &host, robo_robot_name(topic.robot))
                : robo__ros_write(&bytes, &topic, forms[i], 0, &number)) {
            assert_true(
                copy_message(m, &in, (uint8_t *)bytes.at, bytes.used, &text, ROBO__ROS_JSON));
            *written |= 1u << kind;
        }
    }
    robo_release(topic.robot);
    robo__json_free(&bytes);
    robo__json_free(&text);
}

TEST(cdr)
{
    unsigned written = 0;
    open_world();
    add_body("ann");
    robo_advance(world, robo_now(world) + S(0.2));
    robo__reading_begin();
    robo__ros_list(world, "", read_back, &written);
    robo__reading_end();
    assert_int_equal(written, (1u << ROBO__ROS_IMAGE) - 1 - (1u << ROBO__ROS_CMD_VEL));
    robo__host_free(&host);
    robo_close(world);
}
