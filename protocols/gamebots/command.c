/* Messages that a robot is there for. */
#include "connection.h"

static void answer(struct robo__gb_connection *c, const struct robo__gb_line *line,
                   void (*write)(struct robo__gb_out *out, const struct robo__gb_vehicle *vehicle,
                                 struct robo__gb_text type, struct robo__gb_text name))
{
    char room[ROBO__GB_ANSWER];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    if (robo__gb_leaves_unread(c, ROBO__CONN_OUT))
        return;
    write(&out, c->vehicle, robo__gb_find(line, "Type"), robo__gb_find(line, "Name"));
    robo__gb_say(c, &out);
}

static void unknown(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    char type[ROBO__GB_NAME];
    c->unknown++;
    if (c->strict)
        robo__gb_say_result(c, robo__gb_copy(line->type, type, sizeof type), c->vehicle->name,
                            false, "unknown message");
}

const char *robo__gb_mover(const struct robo__gb_line *line)
{
    static const char *const types[] = { "DRIVE", "MULTIDRIVE", "MISPKG", "ACT", "CAMERA", "PTZ" };
    static const char *const set[] = { "Camera", "Gripper", "ToolChanger", "Joint" };
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        if (robo__gb_is(line->type, types[i]))
            return types[i];
    for (unsigned i = 0; i < sizeof set / sizeof set[0]; i++)
        if (robo__gb_is(line->type, "SET") && robo__gb_is(robo__gb_find(line, "Type"), set[i]))
            return set[i];
    return NULL;
}

bool robo__gb_knows(const struct robo__gb_line *line)
{
    static const char *const others[] = { "INIT",   "GETSTARTPOSES", "CONTROL", "SET",
                                          "GETGEO", "GETCONF",       "PAUSE" };
    bool known = robo__gb_mover(line) != NULL;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        known |= robo__gb_is(line->type, others[i]);
    return known;
}

void robo__gb_command(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      robo_time now)
{
    const struct robo__gb_text type = line->type;
    c->mover = robo__gb_mover(line);
    if (robo__gb_is(type, "DRIVE")) {
        robo__gb_do_drive(c, line);
    } else if (robo__gb_is(type, "MULTIDRIVE")) {
        robo__gb_do_multidrive(c, line);
    } else if (robo__gb_is(type, "MISPKG") || robo__gb_is(type, "ACT")) {
        robo__gb_do_package(c, line);
    } else if (robo__gb_is(type, "CAMERA") || robo__gb_is(type, "PTZ")) {
        robo__gb_do_camera(c, line);
    } else if (robo__gb_is(type, "SET")) {
        robo__gb_do_set(c, line, now);
    } else if (robo__gb_is(type, "GETGEO")) {
        answer(c, line, robo__gb_geometry);
    } else if (robo__gb_is(type, "GETCONF")) {
        answer(c, line, robo__gb_configuration);
    } else if (robo__gb_is(type, "PAUSE")) {
        robo__gb_stop(c, now);
    } else {
        unknown(c, line);
    }
}
