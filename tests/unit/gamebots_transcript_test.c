/* Talks of Gamebots, line by line: tests/gamebots/NAME.txt, whose README.md says how they are written. All that a server says is compared, and
 * what its robots do. Time is virtual: a talk is the same each time. */
#include "fixture_gamebots.h"
#include "../described.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include "robot/world/inside.h"

enum { CLIENTS = 4, NAMES = 32 };

static struct client client[CLIENTS];
static char address[128], left_out[256]; /* types of lines that are not compared */
static const char *path;
static unsigned number; /* of the line in the file */

#define wrong(...)                                        \
    do {                                                  \
        print_error("%s%s:%u: ", log_text, path, number); \
        fail_msg(__VA_ARGS__);                            \
    } while (0)

/* "\r", "\n", "\\" and "\x00" become what they mean; a "\c" at the end means that no end of line follows. */
static size_t unescape(const char *text, char *out)
{
    size_t n = 0;
    while (*text) {
        unsigned byte;
        if (text[0] != '\\') {
            out[n++] = *text++;
            continue;
        }
        if (text[1] == 'c')
            return n;
        if (text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1) {
            out[n++] = (char)byte;
            text += 4;
            continue;
        }
        out[n++] = text[1] == 'r' ? '\r' : text[1] == 'n' ? '\n' : text[1];
        text += 2;
    }
    out[n++] = '\r';
    out[n++] = '\n';
    return n;
}

static bool is_left_out(const char *line)
{
    char type[64];
    const size_t n = strcspn(line, " ");
    snprintf(type, sizeof type, " %.*s ", (int)(n < 60 ? n : 60), line);
    return strstr(left_out, type) != NULL;
}

/* The next line that has come and is compared; NULL: there is none. */
static const char *next_line(struct client *c)
{
    static char line[1 << 17];
    while (c->read < c->count) {
        const char *at = c->got + c->read, *end = strstr(at, "\r\n");
        if (!end)
            wrong("what has come does not end: %s", at);
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        c->read += (size_t)(end - at) + 2;
        if (!is_left_out(line))
            return line;
    }
    return NULL;
}

static void expect_nothing(struct client *c)
{
    const char *line = c->there ? next_line(c) : NULL;
    if (line)
        wrong("not expected: %s", line);
}

static void expect_line(struct client *c, const char *wanted)
{
    const char *line = next_line(c);
    size_t n = strlen(wanted);
    const bool begins = n > 3 && strcmp(wanted + n - 3, "...") == 0;
    if (!line)
        wrong("expected %s, got nothing", wanted);
    if (begins ? strncmp(line, wanted, n - 3) != 0 : strcmp(line, wanted) != 0)
        wrong("expected\n  %s\ngot\n  %s", wanted, line);
}

static robo_robot *robot_of(const char *name)
{
    robo_robot *robot = robo_find(world, name);
    if (!robot)
        wrong("there is no robot %s", name);
    robo_release(robot);
    return robot;
}

static void expect_number(const char *what, double got, double wanted)
{
    if (fabs(got - wanted) > 1e-4)
        wrong("%s: expected %g, got %g", what, wanted, got);
}

/* "moves NAME X Y THETA": the velocity of a robot's base. "joint NAME DOF VALUE": a position. "turns NAME DOF VALUE": a speed. */
static bool look_at_robots(const char *line)
{
    char name[NAMES], dof[NAMES];
    double x, y, theta;
    if (sscanf(line, "moves %31s %lf %lf %lf", name, &x, &y, &theta) == 4) {
        const struct robo_state s = look_at(robot_of(name));
        expect_number("x", s.twist[0], x);
        expect_number("y", s.twist[1], y);
        expect_number("theta", s.spin[2], theta);
        return true;
    }
    const bool joint = sscanf(line, "joint %31s %31s %lf", name, dof, &x) == 3;
    if (!joint && sscanf(line, "turns %31s %31s %lf", name, dof, &x) != 3)
        return false;
    const struct robo_description *d = described(robot_of(name));
    const struct robo_state s = look_at(robot_of(name));
    for (unsigned i = 0; i < d->dofs; i++)
        if (strcmp(d->dof[i].name, dof) == 0)
            expect_number(dof, joint ? s.position[i] : s.speed[i], x);
    return true;
}

static void follow_client(struct client *c, const char *line)
{
    char bytes[8192];
    if (strcmp(line, "join") == 0) {
        join(c, address);
    } else if (strcmp(line, "leave") == 0) {
        expect_nothing(c);
        leave(c);
    } else if (strcmp(line, "closed") == 0) {
        if (!c->conn.closing)
            wrong("expected a connection that is closed");
    } else if (line[0] == '>') {
        expect_nothing(c);
        send(c, bytes, unescape(line + 1 + (line[1] == ' '), bytes));
    } else if (line[0] == '<') {
        expect_line(c, line + 1 + (line[1] == ' '));
    } else {
        wrong("expected >, <, join, leave or closed: %s", line);
    }
}

static void follow(const char *line)
{
    char name[NAMES], place[64];
    double x;
    if (line[0] == '#' || !line[0])
        return;
    if (sscanf(line, "address %127s", address) == 1 || look_at_robots(line))
        return;
    if (sscanf(line, "robot %31s", name) == 1) {
        add_robot(name);
    } else if (strncmp(line, "without", 7) == 0) {
        snprintf(left_out, sizeof left_out, "%.200s ", line + 7);
    } else if (sscanf(line, "wait %lf", &x) == 1) {
        for (int i = 0; i < CLIENTS; i++)
            expect_nothing(&client[i]);
        pass(x);
    } else if (sscanf(line, "panic %31s", name) == 1) {
        robo_panic(robot_of(name));
    } else if (sscanf(line, "reset %31s", name) == 1) {
        robo_reset(robot_of(name));
    } else if (sscanf(line, "table %63s", place) == 1) {
        const char *table = strchr(line, ' ') + 1;
        assert_int_equal(robo__files_add(&host.files, "gamebots/vehicles.txt", "text/plain", table,
                                         strlen(table)),
                         0);
    } else if (line[0] == '@' && isdigit((unsigned char)line[1]) && line[1] < '0' + CLIENTS) {
        follow_client(&client[line[1] - '0'], line + 3);
    } else {
        follow_client(&client[0], line);
    }
}

static void follow_file(void)
{
    char line[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file)
        wrong("it cannot be read");
    number = 0;
    while (fgets(line, sizeof line, file)) {
        number++;
        line[strcspn(line, "\n")] = 0;
        follow(line);
    }
    for (int i = 0; i < CLIENTS; i++)
        expect_nothing(&client[i]);
    fclose(file);
}

TEST(talks_are_as_they_are_written)
{
    struct dirent **entry;
    const int n = scandir("tests/gamebots", &entry, NULL, alphasort);
    int talks = 0;
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        char name[512];
        const char *end = strrchr(entry[i]->d_name, '.');
        snprintf(name, sizeof name, "tests/gamebots/%s", entry[i]->d_name);
        path = name;
        if (end && strcmp(end, ".txt") == 0) {
            talks++;
            strcpy(address, "gamebots+local:");
            left_out[0] = 0;
            open_world(state);
            follow_file();
            for (int k = 0; k < CLIENTS; k++)
                leave(&client[k]);
            assert_int_equal(atomic_load(&world->memory.used), 0);
            close_world(state);
        }
        free(entry[i]);
    }
    free(entry);
    assert_true(talks > 0);
}
