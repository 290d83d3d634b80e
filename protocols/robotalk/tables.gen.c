/* Made by spec/gen.lua from spec/; do not edit. The tables that wire.c walks. */
#include "wire.h"

#include <stddef.h>

_Static_assert(ROBO__MOST_COUNTS == INT64_C(2251799813685248), "most_counts");
_Static_assert(ROBO__MOST_US == INT64_C(2305843009213693), "most_time");

static const struct robo_field robo_header_fields[] = {
    { .name = "magic", .unit = "", .doc = "0x5254, the letters RT", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_header, magic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "version", .unit = "", .doc = "2", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_header, version), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "flags", .unit = "", .doc = "bits: 1 panic, 2 reset; executed as soon as the header is received", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_header, flags), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "type", .unit = "", .doc = "type of the payload", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_header, type), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "revision", .unit = "", .doc = "commands: revision of the description whose numbers of joints and control frames they use, the lowest 8 bits; otherwise 0", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_header, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "entries in the payload", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_header, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "size", .unit = "", .doc = "bytes of payload, at most 65536", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_header, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "id", .unit = "", .doc = "number of the package, by its sender", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_header, id), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "session", .unit = "", .doc = "session of the package; 0: the connection; for a panic 0, or an unknown session, means every robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_header, session), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "epoch", .unit = "", .doc = "number of panics of the robot that the sender knows of, the lowest 16 bits; commands of an older epoch never run", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_header, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "stops", .unit = "", .doc = "stops by other sessions, and losses of leases, that were reported to the sender, the lowest 16 bits; commands with an older number never run", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_header, stops), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "stamp", .unit = "", .doc = "earliest instant at which the package was made, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_header, stamp), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, .none = 1, },
};
const struct robo_message robo_header_message = { "robo_header", sizeof(struct robo_header), sizeof(struct robo_header), 32, 12, 12, robo_header_fields };

static const struct robo_field robo_entry_fields[] = {
    { .name = "op", .unit = "", .doc = "number of the query, command, signal or notice", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_entry, op), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "size", .unit = "", .doc = "bytes of body that follow this head", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_entry, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "id", .unit = "", .doc = "number of the query or command, by the client; answers carry it", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_entry, id), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_entry_message = { "robo_entry", sizeof(struct robo_entry), sizeof(struct robo_entry), 8, 3, 3, robo_entry_fields };

static const struct robo_field robo_state_fields[] = {
    { .name = "time", .unit = "", .doc = "instant of the state, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_state, time), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "epoch", .unit = "", .doc = "number of panics so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_state, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "panic", .unit = "", .doc = "1 while in panic", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_state, panic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "moving", .unit = "", .doc = "1 while any dof or the base moves", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_state, moving), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "pose", .unit = "m", .doc = "root link in the world: x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, pose), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "root link in the world: roll, pitch, yaw (fixed axes x, y, z); yaw does not wrap", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "twist", .unit = "m/s", .doc = "velocity along the root link's own x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, twist), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "spin", .unit = "rad/s", .doc = "angular velocity about the root link's own x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, spin), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "voltage", .unit = "V", .doc = "battery voltage; 0: no battery", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_state, voltage), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "charge", .unit = "ratio", .doc = "battery charge, 0 to 1", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_state, charge), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "override", .unit = "ratio", .doc = "speed override: motions run at this share of their speeds", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_state, override), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "number of dofs that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_state, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "dof", .doc = "of each dof", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, position), .counter = offsetof(struct robo_state, dofs), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "speed", .unit = "dof/s", .doc = "of each dof", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_state, speed), .counter = offsetof(struct robo_state, dofs), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_state_message = { "robo_state", sizeof(struct robo_state), offsetof(struct robo_state, position), 140, 14, 14, robo_state_fields };

static const struct robo_field robo_reply_state_fields[] = {
    { .name = "time", .unit = "", .doc = "instant of the state, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_state, time), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "epoch", .unit = "", .doc = "number of panics so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_state, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "panic", .unit = "", .doc = "1 while in panic", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_state, panic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "moving", .unit = "", .doc = "1 while any dof or the base moves", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_state, moving), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "pose", .unit = "m", .doc = "root link in the world: x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, pose), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "root link in the world: roll, pitch, yaw (fixed axes x, y, z); yaw does not wrap", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "twist", .unit = "m/s", .doc = "velocity along the root link's own x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, twist), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "spin", .unit = "rad/s", .doc = "angular velocity about the root link's own x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, spin), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "voltage", .unit = "V", .doc = "battery voltage; 0: no battery", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_reply_state, voltage), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "charge", .unit = "ratio", .doc = "battery charge, 0 to 1", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_reply_state, charge), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "override", .unit = "ratio", .doc = "speed override: motions run at this share of their speeds", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_reply_state, override), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "number of dofs that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_state, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "dof", .doc = "of each dof", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, position), .counter = offsetof(struct robo_reply_state, dofs), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "speed", .unit = "dof/s", .doc = "of each dof", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, speed), .counter = offsetof(struct robo_reply_state, dofs), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "forces", .unit = "", .doc = "number of forces that follow: one for each dof, or none", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_state, forces), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "known", .unit = "", .doc = "for each dof: 1: its force is known", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_state, known), .counter = offsetof(struct robo_reply_state, forces), .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "force", .unit = "dof force", .doc = "of each dof; 0: unknown", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, force), .counter = offsetof(struct robo_reply_state, forces), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "frames", .unit = "", .doc = "number of control frames that follow: all, or none; present whenever `forces` is", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_state, frames), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "x", .unit = "m", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, x), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "y", .unit = "m", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, y), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "z", .unit = "m", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, z), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "roll", .unit = "rad", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, roll), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "pitch", .unit = "rad", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, pitch), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "yaw", .unit = "rad", .doc = "of each, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_state, yaw), .counter = offsetof(struct robo_reply_state, frames), .count = 1, .max = 256,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_reply_state_message = { "robo_reply_state", sizeof(struct robo_reply_state), offsetof(struct robo_reply_state, position), 201, 14, 24, robo_reply_state_fields };

static const struct robo_field robo_request_hello_fields[] = {
    { .name = "lowest", .unit = "", .doc = "lowest version spoken", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_hello, lowest), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "highest", .unit = "", .doc = "highest version spoken", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_hello, highest), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name of the client, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_hello, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "capabilities", .unit = "", .doc = "bits: capabilities beyond the version; none is defined yet", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_hello, capabilities), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "role", .unit = "", .doc = "the requested role", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_hello, role), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "token", .unit = "", .doc = "the client's token, if the server requires one; otherwise empty", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_hello, token), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 255,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "lease", .unit = "", .doc = "random number chosen by the client; connections with the same number count as one client; 0: this connection alone", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_hello, lease), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_hello_message = { "robo_request_hello", sizeof(struct robo_request_hello), sizeof(struct robo_request_hello), 19, 7, 7, robo_request_hello_fields };

static const struct robo_field robo_reply_hello_fields[] = {
    { .name = "version", .unit = "", .doc = "the version to use", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_hello, version), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name of the server, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_hello, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "capabilities", .unit = "", .doc = "bits: capabilities beyond the version; none is defined yet", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_hello, capabilities), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "role", .unit = "", .doc = "the granted role, no greater than the requested one", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_hello, role), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "robots", .unit = "", .doc = "number of robots that it serves", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_hello, robots), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "now", .unit = "", .doc = "the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_hello, now), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_hello_message = { "robo_reply_hello", sizeof(struct robo_reply_hello), sizeof(struct robo_reply_hello), 20, 6, 6, robo_reply_hello_fields };

static const struct robo_field robo_request_robot_fields[] = {
    { .name = "index", .unit = "", .doc = "0 and up", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_robot, index), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_robot_message = { "robo_request_robot", sizeof(struct robo_request_robot), sizeof(struct robo_request_robot), 2, 1, 1, robo_request_robot_fields };

static const struct robo_field robo_reply_robot_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_robot, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "sessions", .unit = "", .doc = "open sessions, including those of the server's own program", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_robot, sessions), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "panic", .unit = "", .doc = "1 while in panic", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_robot, panic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_robot_message = { "robo_reply_robot", sizeof(struct robo_reply_robot), sizeof(struct robo_reply_robot), 3, 3, 3, robo_reply_robot_fields };

static const struct robo_field robo_request_open_fields[] = {
    { .name = "robot", .unit = "", .doc = "its name; empty: the first", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_open, robot), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mode", .unit = "", .doc = "direct, delay, playback, broadcast, or a mode of the server's owner", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_open, mode), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "delay", .unit = "s", .doc = "delay mode: the delay of every command", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, delay), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "duration", .unit = "s", .doc = "playback mode: length of the sequence; 0: unknown", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, duration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "deadman", .unit = "s", .doc = "silence after which a moving robot stops; 0: the robot's own deadman time", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, deadman), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "gap", .unit = "s", .doc = "longest time between two frames of a buffered session; a longer one counts as silence; 0: the deadman time", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, gap), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "expiry", .unit = "s", .doc = "age beyond which a command is refused; 0: the mode's own; -1 us: none", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, expiry), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "jitter", .unit = "s", .doc = "longest measured delay to the server: the greatest round trip less half of the least; 0: unknown", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_open, jitter), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "options", .unit = "", .doc = "name=value, comma separated, for the mode's script", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_open, options), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 511,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "errors", .unit = "", .doc = "1: SUCCESS results are counted and not sent, except those of stops", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_open, errors), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "newest", .unit = "", .doc = "1: of the commands that wait for the same axes only the newest is kept; not in a mode that holds packages", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_open, newest), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
};
const struct robo_message robo_request_open_message = { "robo_request_open", sizeof(struct robo_request_open), sizeof(struct robo_request_open), 50, 11, 11, robo_request_open_fields };

static const struct robo_field robo_reply_open_fields[] = {
    { .name = "session", .unit = "", .doc = "its number, for the header of every package of this session", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_open, session), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "epoch", .unit = "", .doc = "panics of this robot so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_open, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "stops", .unit = "", .doc = "stops so far; the lowest 16 bits go into the headers of later packages", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_open, stops), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "panic", .unit = "", .doc = "1 while in panic", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_open, panic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "blocking", .unit = "", .doc = "1: the mode's calls wait for their answers", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_open, blocking), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "holds", .unit = "", .doc = "1: the mode holds packages until it has decided their delay", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_open, holds), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "buffered", .unit = "", .doc = "1: commands are a sequence, sent in advance: the times between them are kept", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_open, buffered), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "deadman", .unit = "s", .doc = "as granted", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_open, deadman), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "gap", .unit = "s", .doc = "as granted", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_open, gap), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "expiry", .unit = "s", .doc = "as granted; -1 us: none", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_open, expiry), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "robot", .unit = "", .doc = "name of the robot", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_open, robot), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "errors", .unit = "", .doc = "as granted; 0 in a mode whose calls wait for their answers", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_open, errors), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_open_message = { "robo_reply_open", sizeof(struct robo_reply_open), sizeof(struct robo_reply_open), 41, 12, 12, robo_reply_open_fields };

static const struct robo_field robo_request_sync_fields[] = {
    { .name = "sent", .unit = "", .doc = "the client's clock when it sent this", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_sync, sent), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_sync_message = { "robo_request_sync", sizeof(struct robo_request_sync), sizeof(struct robo_request_sync), 8, 1, 1, robo_request_sync_fields };

static const struct robo_field robo_reply_sync_fields[] = {
    { .name = "sent", .unit = "", .doc = "as in the request", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_sync, sent), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "received", .unit = "", .doc = "the server's clock when the request arrived", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_sync, received), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "replied", .unit = "", .doc = "the server's clock when the answer left", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_sync, replied), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_sync_message = { "robo_reply_sync", sizeof(struct robo_reply_sync), sizeof(struct robo_reply_sync), 24, 3, 3, robo_reply_sync_fields };

static const struct robo_field robo_request_state_fields[] = {
    { .name = "more", .unit = "", .doc = "optional parts of the answer: bits, as below", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_state, more), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_state_message = { "robo_request_state", sizeof(struct robo_request_state), sizeof(struct robo_request_state), 1, 0, 1, robo_request_state_fields };

static const struct robo_field robo_request_broadcast_fields[] = {
    { .name = "period", .unit = "s", .doc = "sampling time, at least 1 ms", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_broadcast, period), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "more", .unit = "", .doc = "as in state", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_broadcast, more), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_broadcast_message = { "robo_request_broadcast", sizeof(struct robo_request_broadcast), sizeof(struct robo_request_broadcast), 9, 1, 2, robo_request_broadcast_fields };

static const struct robo_field robo_request_broadcast_cancel_fields[] = {
    { .name = "broadcast", .unit = "", .doc = "id of that query", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_broadcast_cancel, broadcast), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_broadcast_cancel_message = { "robo_request_broadcast_cancel", sizeof(struct robo_request_broadcast_cancel), sizeof(struct robo_request_broadcast_cancel), 4, 1, 1, robo_request_broadcast_cancel_fields };

static const struct robo_field robo_request_cancel_fields[] = {
    { .name = "command", .unit = "", .doc = "id of the command; 0: all of this session that have not begun", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_cancel, command), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_cancel_message = { "robo_request_cancel", sizeof(struct robo_request_cancel), sizeof(struct robo_request_cancel), 4, 1, 1, robo_request_cancel_fields };

static const struct robo_field robo_reply_cancel_fields[] = {
    { .name = "count", .unit = "", .doc = "number of cancelled commands", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_cancel, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_cancel_message = { "robo_reply_cancel", sizeof(struct robo_reply_cancel), sizeof(struct robo_reply_cancel), 4, 1, 1, robo_reply_cancel_fields };

static const struct robo_field robo_reply_status_fields[] = {
    { .name = "held", .unit = "", .doc = "commands in the playback queue", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_status, held), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "queued", .unit = "", .doc = "commands in the command queue", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_status, queued), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "running", .unit = "", .doc = "motions that have not ended", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_status, running), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "executed", .unit = "", .doc = "commands begun", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_status, executed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "underruns", .unit = "", .doc = "commands that arrived after they should have begun", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_status, underruns), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "refused", .unit = "", .doc = "commands refused, or ended before they began", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_status, refused), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "decided", .unit = "", .doc = "1: the mode has chosen its shift", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_status, decided), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "delay", .unit = "", .doc = "start delay: time from the start of the first command, on the server's clock, until it began", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_status, delay), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "worst", .unit = "", .doc = "greatest lateness with which a command began", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_status, worst), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "needed", .unit = "", .doc = "least start delay that would have sufficed for the commands received so far", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_status, needed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "unanswered", .unit = "", .doc = "commands that have no result yet", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_status, unanswered), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "succeeded", .unit = "", .doc = "SUCCESS results that were not sent", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_status, succeeded), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_status_message = { "robo_reply_status", sizeof(struct robo_reply_status), sizeof(struct robo_reply_status), 73, 12, 12, robo_reply_status_fields };

static const struct robo_field robo_request_override_fields[] = {
    { .name = "share", .unit = "ratio", .doc = "0, or 0.001 to 1", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_request_override, share), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_override_message = { "robo_request_override", sizeof(struct robo_request_override), sizeof(struct robo_request_override), 4, 1, 1, robo_request_override_fields };

static const struct robo_field robo_reply_pauses_fields[] = {
    { .name = "count", .unit = "", .doc = "pauses that have ended", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_pauses, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "added", .unit = "s", .doc = "increase of the shift by all of them", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_pauses, added), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "kept", .unit = "", .doc = "number of pauses that follow: the newest ones, the oldest of these first", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_pauses, kept), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "due", .unit = "", .doc = "when the missing frame should have begun", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_pauses, due), .counter = offsetof(struct robo_reply_pauses, kept), .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "later", .unit = "s", .doc = "increase of the shift", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_pauses, later), .counter = offsetof(struct robo_reply_pauses, kept), .count = 1, .max = 32,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "path", .unit = "m", .doc = "distance that the root link moved after that, by lasting speeds", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_pauses, path), .counter = offsetof(struct robo_reply_pauses, kept), .count = 1, .max = 32,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "turn", .unit = "rad", .doc = "angle that it turned", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_pauses, turn), .counter = offsetof(struct robo_reply_pauses, kept), .count = 1, .max = 32,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "dof", .unit = "dof", .doc = "greatest distance that a dof moved", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_pauses, dof), .counter = offsetof(struct robo_reply_pauses, kept), .count = 1, .max = 32,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_pauses_message = { "robo_reply_pauses", sizeof(struct robo_reply_pauses), offsetof(struct robo_reply_pauses, due), 53, 8, 8, robo_reply_pauses_fields };

static const struct robo_field robo_request_sense_fields[] = {
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_sense, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: sensor 8k + n", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_sense, mask), .counter = offsetof(struct robo_request_sense, bytes), .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_sense_message = { "robo_request_sense", sizeof(struct robo_request_sense), offsetof(struct robo_request_sense, mask), 2, 2, 2, robo_request_sense_fields };

static const struct robo_field robo_reply_sense_fields[] = {
    { .name = "readings", .unit = "", .doc = "number of readings that follow, in the order of their sensors", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_sense, readings), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "total", .unit = "", .doc = "values of all of them", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_sense, total), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 2048,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "sensor", .unit = "", .doc = "number of the sensor", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_sense, sensor), .counter = offsetof(struct robo_reply_sense, readings), .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "number", .unit = "", .doc = "number of the reading at its sensor, from 1; 0: none yet", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_sense, number), .counter = offsetof(struct robo_reply_sense, readings), .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "time", .unit = "", .doc = "instant of the reading, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_sense, time), .counter = offsetof(struct robo_reply_sense, readings), .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "values", .unit = "", .doc = "number of its values", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_sense, values), .counter = offsetof(struct robo_reply_sense, readings), .count = 1, .max = 256,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "value", .unit = "", .doc = "values of all readings, in their order", .kind = ROBO_FIELD_PACKED,
      .offset = offsetof(struct robo_reply_sense, value), .counter = offsetof(struct robo_reply_sense, total), .count = 1, .max = 2048,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_reply_sense_message = { "robo_reply_sense", sizeof(struct robo_reply_sense), offsetof(struct robo_reply_sense, sensor), 24, 7, 7, robo_reply_sense_fields };

static const struct robo_field robo_request_watch_fields[] = {
    { .name = "period", .unit = "s", .doc = "shortest time between two answers, at least 1 ms", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_watch, period), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "as in sense", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_watch, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "as in sense", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_watch, mask), .counter = offsetof(struct robo_request_watch, bytes), .count = 1, .max = 32,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_watch_message = { "robo_request_watch", sizeof(struct robo_request_watch), offsetof(struct robo_request_watch, mask), 10, 3, 3, robo_request_watch_fields };

static const struct robo_field robo_request_record_fields[] = {
    { .name = "sensor", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_record, sensor), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "after", .unit = "", .doc = "number of the last reading that the client has; 0: none", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_record, after), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_record_message = { "robo_request_record", sizeof(struct robo_request_record), sizeof(struct robo_request_record), 10, 2, 2, robo_request_record_fields };

static const struct robo_field robo_request_picture_fields[] = {
    { .name = "camera", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_picture, camera), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "format", .unit = "", .doc = "encoding of its bytes: 1 JPEG, 2 RGB, 3 gray; a pixel has 3 bytes or 1, row by row from the top", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_picture, format), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 1, .hi = 3, },
    { .name = "quality", .unit = "", .doc = "of JPEG; must be in range for pixels, too", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_picture, quality), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 1, .hi = 100, },
    { .name = "width", .unit = "", .doc = "most pixels: the picture is scaled down by a whole number; 0: any", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_picture, width), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "height", .unit = "", .doc = "most pixels, in the same way; 0: any", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_picture, height), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "after", .unit = "", .doc = "number of a picture: a newer one is requested; 0: the newest, also an old one", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_picture, after), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "window", .unit = "", .doc = "most bytes of pieces in flight, which the client has not acknowledged by `pieces`", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_picture, window), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 16384, .hi = 16777216, },
    { .name = "period", .unit = "s", .doc = "view: shortest time from one picture to the next, 1 ms to an hour; picture: ignored", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_picture, period), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_picture_message = { "robo_request_picture", sizeof(struct robo_request_picture), sizeof(struct robo_request_picture), 28, 8, 8, robo_request_picture_fields };

static const struct robo_field robo_reply_picture_fields[] = {
    { .name = "number", .unit = "", .doc = "number of the picture at its camera, from 1", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_picture, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "time", .unit = "", .doc = "when it was taken, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_picture, time), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "width", .unit = "", .doc = "pixels", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_picture, width), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "height", .unit = "", .doc = "pixels", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_picture, height), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "format", .unit = "", .doc = "as requested", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_picture, format), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "size", .unit = "", .doc = "bytes of the whole picture", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_picture, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "offset", .unit = "", .doc = "first byte of this piece", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_picture, offset), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "bytes that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_picture, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "of the picture, from that offset on", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_picture, bytes), .counter = offsetof(struct robo_reply_picture, count), .count = 1, .max = 16384,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_reply_picture_message = { "robo_reply_picture", sizeof(struct robo_reply_picture), offsetof(struct robo_reply_picture, bytes), 32, 9, 9, robo_reply_picture_fields };

static const struct robo_field robo_request_view_fields[] = {
    { .name = "camera", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_view, camera), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "format", .unit = "", .doc = "encoding of its bytes: 1 JPEG, 2 RGB, 3 gray; a pixel has 3 bytes or 1, row by row from the top", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_view, format), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 1, .hi = 3, },
    { .name = "quality", .unit = "", .doc = "of JPEG; must be in range for pixels, too", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_view, quality), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 1, .hi = 100, },
    { .name = "width", .unit = "", .doc = "most pixels: the picture is scaled down by a whole number; 0: any", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_view, width), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "height", .unit = "", .doc = "most pixels, in the same way; 0: any", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_view, height), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "after", .unit = "", .doc = "number of a picture: a newer one is requested; 0: the newest, also an old one", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_view, after), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "window", .unit = "", .doc = "most bytes of pieces in flight, which the client has not acknowledged by `pieces`", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_view, window), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 16384, .hi = 16777216, },
    { .name = "period", .unit = "s", .doc = "view: shortest time from one picture to the next, 1 ms to an hour; picture: ignored", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_request_view, period), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_view_message = { "robo_request_view", sizeof(struct robo_request_view), sizeof(struct robo_request_view), 28, 8, 8, robo_request_view_fields };

static const struct robo_field robo_request_pieces_fields[] = {
    { .name = "query", .unit = "", .doc = "id of that query", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_pieces, query), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "bytes of all its pieces so far, or of the bodies of all its answers; ERANGE: more than were sent", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_request_pieces, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_pieces_message = { "robo_request_pieces", sizeof(struct robo_request_pieces), sizeof(struct robo_request_pieces), 12, 2, 2, robo_request_pieces_fields };

static const struct robo_field robo_reply_describe_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_describe, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "model", .unit = "", .doc = "its body, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_describe, model), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "links", .unit = "", .doc = "number of links", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_describe, links), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "joints", .unit = "", .doc = "number of joints", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_describe, joints), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "frames", .unit = "", .doc = "number of control frames", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_describe, frames), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "dofs of all joints", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_describe, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "commands", .unit = "", .doc = "bit n: command 256 + n is supported", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_describe, commands), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "deadman", .unit = "s", .doc = "its deadman time", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_describe, deadman), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "revision", .unit = "", .doc = "number of times that its description was replaced", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_describe, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_describe_message = { "robo_reply_describe", sizeof(struct robo_reply_describe), sizeof(struct robo_reply_describe), 28, 9, 9, robo_reply_describe_fields };

static const struct robo_field robo_request_joint_fields[] = {
    { .name = "number", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_joint, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_joint_message = { "robo_request_joint", sizeof(struct robo_request_joint), sizeof(struct robo_request_joint), 2, 1, 1, robo_request_joint_fields };

static const struct robo_field robo_request_dof_fields[] = {
    { .name = "number", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_dof, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_dof_message = { "robo_request_dof", sizeof(struct robo_request_dof), sizeof(struct robo_request_dof), 2, 1, 1, robo_request_dof_fields };

static const struct robo_field robo_request_link_fields[] = {
    { .name = "number", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_link, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_link_message = { "robo_request_link", sizeof(struct robo_request_link), sizeof(struct robo_request_link), 2, 1, 1, robo_request_link_fields };

static const struct robo_field robo_request_frame_fields[] = {
    { .name = "number", .unit = "", .doc = "its number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_frame, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_frame_message = { "robo_request_frame", sizeof(struct robo_request_frame), sizeof(struct robo_request_frame), 2, 1, 1, robo_request_frame_fields };

static const struct robo_field robo_request_configuration_fields[] = {
    { .name = "offset", .unit = "", .doc = "first requested byte", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_configuration, offset), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_configuration_message = { "robo_request_configuration", sizeof(struct robo_request_configuration), sizeof(struct robo_request_configuration), 4, 1, 1, robo_request_configuration_fields };

static const struct robo_field robo_reply_configuration_fields[] = {
    { .name = "revision", .unit = "", .doc = "as in describe: blocks of two revisions must not be mixed", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_configuration, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "size", .unit = "", .doc = "bytes of the whole block", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_configuration, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "bytes that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_configuration, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "of the block, from that offset on", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_configuration, bytes), .counter = offsetof(struct robo_reply_configuration, count), .count = 1, .max = 16384,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_reply_configuration_message = { "robo_reply_configuration", sizeof(struct robo_reply_configuration), offsetof(struct robo_reply_configuration, bytes), 11, 4, 4, robo_reply_configuration_fields };

static const struct robo_field robo_request_reload_fields[] = {
    { .name = "size", .unit = "", .doc = "bytes of the whole block", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_reload, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "offset", .unit = "", .doc = "first byte of this piece: the end of the previous one; 0 starts again", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_reload, offset), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "bytes that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_reload, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "of the block, from that offset on", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_reload, bytes), .counter = offsetof(struct robo_request_reload, count), .count = 1, .max = 16384,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_request_reload_message = { "robo_request_reload", sizeof(struct robo_request_reload), offsetof(struct robo_request_reload, bytes), 11, 4, 4, robo_request_reload_fields };

static const struct robo_field robo_reply_reload_fields[] = {
    { .name = "received", .unit = "", .doc = "bytes of the block received so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_reload, received), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "revision", .unit = "", .doc = "revision of the description: after the last piece the new one", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_reload, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "kept", .unit = "", .doc = "after the last piece: number of queued commands that were kept, with their new numbers", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_reload, kept), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "dropped", .unit = "", .doc = "after it: number of queued commands whose joint, dof or control frame no longer exists", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_reload, dropped), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_reload_message = { "robo_reply_reload", sizeof(struct robo_reply_reload), sizeof(struct robo_reply_reload), 16, 4, 4, robo_reply_reload_fields };

static const struct robo_field robo_request_holder_fields[] = {
    { .name = "index", .unit = "", .doc = "0 and up", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_holder, index), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_holder_message = { "robo_request_holder", sizeof(struct robo_request_holder), sizeof(struct robo_request_holder), 2, 1, 1, robo_request_holder_fields };

static const struct robo_field robo_reply_holder_fields[] = {
    { .name = "holder", .unit = "", .doc = "its number; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_holder, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_holder, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "own", .unit = "", .doc = "1: it is the client that sends the query", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_holder, own), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "left", .unit = "s", .doc = "until the last of its leases expires, unless it uses them again", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_holder, left), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "base", .unit = "", .doc = "1: it has the base", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_holder, base), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_holder, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: it has dof 8k + n", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_holder, mask), .counter = offsetof(struct robo_reply_holder, bytes), .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_holder_message = { "robo_reply_holder", sizeof(struct robo_reply_holder), offsetof(struct robo_reply_holder, mask), 16, 7, 7, robo_reply_holder_fields };

static const struct robo_field robo_request_take_fields[] = {
    { .name = "base", .unit = "", .doc = "1: of the base", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_take, base), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow; 0, and not the base: of all axes", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_take, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: of dof 8k + n", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_take, mask), .counter = offsetof(struct robo_request_take, bytes), .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "force", .unit = "", .doc = "1: without asking their holders, where the server allows this", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_take, force), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "revision", .unit = "", .doc = "revision of these numbers of dofs, as in the header of commands", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_take, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_take_message = { "robo_request_take", sizeof(struct robo_request_take), offsetof(struct robo_request_take, mask), 5, 3, 5, robo_request_take_fields };

static const struct robo_field robo_reply_take_fields[] = {
    { .name = "state", .unit = "", .doc = "1 taken; 2 taken, but their axes are still braking; 3 their holders are asked; 4 some were refused; 5 not yet asked, because the client asked a moment ago", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_take, state), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "holder", .unit = "", .doc = "for 3 to 5: number of a client that holds one; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_take, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_take, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "left", .unit = "s", .doc = "for 3: until silence counts as consent; for 4 and 5: until the client may ask again", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_take, left), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_take_message = { "robo_reply_take", sizeof(struct robo_reply_take), sizeof(struct robo_reply_take), 13, 3, 4, robo_reply_take_fields };

static const struct robo_field robo_request_give_fields[] = {
    { .name = "holder", .unit = "", .doc = "number of the client that asks", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_give, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "give", .unit = "", .doc = "1: the leases are given; 0: they are refused", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_give, give), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
};
const struct robo_message robo_request_give_message = { "robo_request_give", sizeof(struct robo_request_give), sizeof(struct robo_request_give), 5, 2, 2, robo_request_give_fields };

static const struct robo_field robo_request_release_fields[] = {
    { .name = "base", .unit = "", .doc = "1: of the base", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_release, base), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow; 0, and not the base: of all axes", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_release, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: of dof 8k + n", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_release, mask), .counter = offsetof(struct robo_request_release, bytes), .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "asked", .unit = "", .doc = "1: only its pending requests are withdrawn; its leases stay", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_release, asked), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "revision", .unit = "", .doc = "revision of these numbers of dofs, as in the header of commands", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_release, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_release_message = { "robo_request_release", sizeof(struct robo_request_release), offsetof(struct robo_request_release, mask), 5, 3, 5, robo_request_release_fields };

static const struct robo_field robo_request_resume_fields[] = {
    { .name = "stop", .unit = "", .doc = "number of the stop, as in the notice `latched` and the query `latch`", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_resume, stop), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "scope", .unit = "", .doc = "0: the client that sends the query; 1: all clients; 2: one client; 1 and 2 are for the client that stopped, or the role operate", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_request_resume, scope), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 2, },
    { .name = "client", .unit = "", .doc = "for scope 2: number of that client", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_request_resume, client), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_resume_message = { "robo_request_resume", sizeof(struct robo_request_resume), sizeof(struct robo_request_resume), 9, 2, 3, robo_request_resume_fields };

static const struct robo_field robo_request_latch_fields[] = {
    { .name = "index", .unit = "", .doc = "0 and up", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_latch, index), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_latch_message = { "robo_request_latch", sizeof(struct robo_request_latch), sizeof(struct robo_request_latch), 2, 1, 1, robo_request_latch_fields };

static const struct robo_field robo_reply_latch_fields[] = {
    { .name = "stop", .unit = "", .doc = "number of the stop that latched it", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_latch, stop), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "client", .unit = "", .doc = "its number; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_latch, client), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_latch, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "own", .unit = "", .doc = "1: it is the client that sends the query", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_latch, own), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "by", .unit = "", .doc = "number of the client that stopped it", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_latch, by), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "stopper", .unit = "", .doc = "name of that client, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_latch, stopper), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "since", .unit = "", .doc = "instant of the stop, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_latch, since), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "connected", .unit = "", .doc = "0: it has no session with the robot now", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_latch, connected), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_latch_message = { "robo_reply_latch", sizeof(struct robo_reply_latch), sizeof(struct robo_reply_latch), 22, 8, 8, robo_reply_latch_fields };

static const struct robo_field robo_reply_lists_fields[] = {
    { .name = "addresses", .unit = "", .doc = "number of addresses that it listens on", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_lists, addresses), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "ended", .unit = "", .doc = "connections that it closes because the lists now grant fewer permissions", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_lists, ended), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_lists_message = { "robo_reply_lists", sizeof(struct robo_reply_lists), sizeof(struct robo_reply_lists), 6, 2, 2, robo_reply_lists_fields };

static const struct robo_field robo_reply_bus_fields[] = {
    { .name = "order", .unit = "", .doc = "which joint gets the next message, as in the configuration block", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_reply_bus, order), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "rate", .unit = "1/s", .doc = "messages a second that it carries", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_bus, rate), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "slots", .unit = "", .doc = "slots in which a message could have been sent while there was work", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_bus, slots), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "messages", .unit = "", .doc = "messages sent", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_bus, messages), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "refused", .unit = "", .doc = "messages that the line could not take", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_bus, refused), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "lost", .unit = "", .doc = "messages that did not arrive, as far as the server knows", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_bus, lost), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "error", .unit = "m/s", .doc = "weighted size of the task's error after the last message", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_bus, error), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "rms", .unit = "m/s", .doc = "root mean square of that, over about a second of slots", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_reply_bus, rms), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "dofs that follow", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_reply_bus, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "told", .unit = "", .doc = "messages to each dof", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_bus, told), .counter = offsetof(struct robo_reply_bus, dofs), .count = 1, .max = 512,
      .per = 1, .lo = 0, .hi = 0, .wide = 1, },
    { .name = "age", .unit = "s", .doc = "since its last message; -1 us: it is not on the bus", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_bus, age), .counter = offsetof(struct robo_reply_bus, dofs), .count = 1, .max = 512,
      .per = 1000000, .lo = 0, .hi = 0, .wide = 1, },
};
const struct robo_message robo_reply_bus_message = { "robo_reply_bus", sizeof(struct robo_reply_bus), offsetof(struct robo_reply_bus, told), 71, 11, 11, robo_reply_bus_fields };

static const struct robo_field robo_request_script_fields[] = {
    { .name = "index", .unit = "", .doc = "0 and up", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_request_script, index), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_script_message = { "robo_request_script", sizeof(struct robo_request_script), sizeof(struct robo_request_script), 2, 1, 1, robo_request_script_fields };

static const struct robo_field robo_reply_script_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_script, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "file", .unit = "", .doc = "its file; the end of a long path", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_script, file), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 127,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "state", .unit = "", .doc = "starting; running; ending; waiting (to be started again); ended (by itself); failed; stopped (by a client); or stuck (it cannot be ended)", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_script, state), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 15,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "restart", .unit = "", .doc = "when it is started again: never, failure or always", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_script, restart), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 15,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "starts", .unit = "", .doc = "number of times that it was started", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_reply_script, starts), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "since", .unit = "", .doc = "when it began or ended, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_script, since), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "memory", .unit = "", .doc = "bytes in use", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_reply_script, memory), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "seconds", .unit = "s", .doc = "processor time used since it was started", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_reply_script, seconds), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "why", .unit = "", .doc = "why it failed or is stuck", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_reply_script, why), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 127,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_reply_script_message = { "robo_reply_script", sizeof(struct robo_reply_script), sizeof(struct robo_reply_script), 28, 9, 9, robo_reply_script_fields };

static const struct robo_field robo_request_script_start_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_script_start, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_script_start_message = { "robo_request_script_start", sizeof(struct robo_request_script_start), sizeof(struct robo_request_script_start), 0, 1, 1, robo_request_script_start_fields };

static const struct robo_field robo_request_script_stop_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_script_stop, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_script_stop_message = { "robo_request_script_stop", sizeof(struct robo_request_script_stop), sizeof(struct robo_request_script_stop), 0, 1, 1, robo_request_script_stop_fields };

static const struct robo_field robo_request_script_reload_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_request_script_reload, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_request_script_reload_message = { "robo_request_script_reload", sizeof(struct robo_request_script_reload), sizeof(struct robo_request_script_reload), 0, 1, 1, robo_request_script_reload_fields };

static const struct robo_field robo_start_fields[] = {
    { .name = "start", .unit = "", .doc = "instant to begin, on the server's clock; in playback mode on any clock with correct differences", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_start, start), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, .none = 1, },
};
const struct robo_message robo_start_message = { "robo_start", sizeof(struct robo_start), sizeof(struct robo_start), 8, 1, 1, robo_start_fields };

static const struct robo_field robo_stop_fields[] = {
    { .name = "scope", .unit = "", .doc = "0: motions of all clients; 1: only motions of the session that sends it, and its queued or held commands", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_stop, scope), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "base", .unit = "", .doc = "1: the base is named", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_stop, base), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow; if 0, and the base is not named, everything stops", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_stop, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: dof 8k + n is named", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_stop, mask), .counter = offsetof(struct robo_stop, bytes), .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_stop_message = { "robo_stop", sizeof(struct robo_stop), offsetof(struct robo_stop, mask), 4, 4, 4, robo_stop_fields };

static const struct robo_field robo_go_to_fields[] = {
    { .name = "x", .unit = "m", .doc = "in the world", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_go_to, x), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "y", .unit = "m", .doc = "in the world", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_go_to, y), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "theta", .unit = "rad", .doc = "heading in the world, counter-clockwise from x", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_go_to, theta), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, .none = 1, },
    { .name = "speed", .unit = "m/s", .doc = "greatest speed; turning is slowed down by the same ratio to its limit; 0: the limits", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_go_to, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "acceleration", .unit = "m/s2", .doc = "greatest acceleration, with turning by the same ratio; 0: the limits", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_go_to, acceleration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_go_to_message = { "robo_go_to", sizeof(struct robo_go_to), sizeof(struct robo_go_to), 40, 5, 5, robo_go_to_fields };

static const struct robo_field robo_set_speed_fields[] = {
    { .name = "x", .unit = "m/s", .doc = "ahead", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_set_speed, x), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "y", .unit = "m/s", .doc = "to the left", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_set_speed, y), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "theta", .unit = "rad/s", .doc = "counter-clockwise", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_set_speed, theta), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_speed_message = { "robo_set_speed", sizeof(struct robo_set_speed), sizeof(struct robo_set_speed), 24, 3, 3, robo_set_speed_fields };

static const struct robo_field robo_set_joint_fields[] = {
    { .name = "joint", .unit = "", .doc = "number of the joint", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_servo_command, joint), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n: dof n is commanded", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_servo_command, mask), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "velocities", .unit = "", .doc = "number of velocities that follow at the end", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_servo_command, velocities), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 6,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "value", .unit = "dof", .doc = "set-points", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, value), .counter = ROBO_FIELD_FIXED, .count = 6, .max = 6,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "speed", .unit = "dof/s", .doc = "greatest speed on the way; 0: the joint's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "acceleration", .unit = "dof/s2", .doc = "greatest acceleration on the way; 0: the joint's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, acceleration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "velocity", .unit = "dof/s", .doc = "velocities with which the set-points move from the command's begin on; for dofs without one 0: they stay", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, velocity), .counter = offsetof(struct robo_servo_command, velocities), .count = 1, .max = 6,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_joint_message = { "robo_set_joint", sizeof(struct robo_servo_command), offsetof(struct robo_servo_command, velocity), 76, 7, 7, robo_set_joint_fields };

static const struct robo_field robo_set_joint_speed_fields[] = {
    { .name = "joint", .unit = "", .doc = "number of the joint", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_servo_command, joint), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n: dof n is commanded", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_servo_command, mask), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "value", .unit = "dof/s", .doc = "speeds", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, value), .counter = ROBO_FIELD_FIXED, .count = 6, .max = 6,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_joint_speed_message = { "robo_set_joint_speed", sizeof(struct robo_servo_command), sizeof(struct robo_servo_command), 51, 3, 3, robo_set_joint_speed_fields };

static const struct robo_field robo_set_joint_force_fields[] = {
    { .name = "joint", .unit = "", .doc = "number of the joint", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_servo_command, joint), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n: dof n is commanded", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_servo_command, mask), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "value", .unit = "dof force", .doc = "forces or torques", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_servo_command, value), .counter = ROBO_FIELD_FIXED, .count = 6, .max = 6,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_joint_force_message = { "robo_set_joint_force", sizeof(struct robo_servo_command), sizeof(struct robo_servo_command), 51, 3, 3, robo_set_joint_force_fields };

static const struct robo_field robo_home_fields[] = {
    { .name = "speed", .unit = "dof/s", .doc = "greatest speed of each dof; 0: the dof's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_home, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "acceleration", .unit = "dof/s2", .doc = "greatest acceleration of each dof; 0: the dof's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_home, acceleration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_home_message = { "robo_home", sizeof(struct robo_home), sizeof(struct robo_home), 16, 2, 2, robo_home_fields };

static const struct robo_field robo_step_fields[] = {
    { .name = "leg", .unit = "", .doc = "number of the leg", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_step, leg), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "x", .unit = "m", .doc = "landing point of the foot, in the root link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_step, x), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "y", .unit = "m", .doc = "landing point of the foot", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_step, y), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "theta", .unit = "rad", .doc = "heading of the foot", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_step, theta), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "speed", .unit = "m/s", .doc = "greatest speed of the foot over the floor; 0: the leg's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_step, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_step_message = { "robo_step", sizeof(struct robo_step), sizeof(struct robo_step), 33, 5, 5, robo_step_fields };

static const struct robo_field robo_set_frame_fields[] = {
    { .name = "frame", .unit = "", .doc = "number of the control frame", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_frame_command, frame), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "free", .unit = "", .doc = "bits: 1: any attitude is accepted, only the position counts; 2: it ends on its straight line rather than leave it", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_frame_command, free), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 3, },
    { .name = "position", .unit = "m", .doc = "x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, linear), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roll, pitch, yaw", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, angular), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "speed", .unit = "m/s", .doc = "greatest speed; turning is slowed down by the same ratio; 0: the frame's own", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "acceleration", .unit = "m/s2", .doc = "greatest acceleration along the line; 0: as the dofs permit", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, acceleration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_frame_message = { "robo_set_frame", sizeof(struct robo_frame_command), sizeof(struct robo_frame_command), 67, 6, 6, robo_set_frame_fields };

static const struct robo_field robo_set_frame_speed_fields[] = {
    { .name = "frame", .unit = "", .doc = "number of the control frame", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_frame_command, frame), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "linear", .unit = "m/s", .doc = "x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, linear), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "angular", .unit = "rad/s", .doc = "about x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, angular), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_frame_speed_message = { "robo_set_frame_speed", sizeof(struct robo_frame_command), sizeof(struct robo_frame_command), 50, 3, 3, robo_set_frame_speed_fields };

static const struct robo_field robo_set_frame_force_fields[] = {
    { .name = "frame", .unit = "", .doc = "number of the control frame", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_frame_command, frame), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "force", .unit = "N", .doc = "along x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, linear), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "torque", .unit = "N*m", .doc = "about x, y, z", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame_command, angular), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_set_frame_force_message = { "robo_set_frame_force", sizeof(struct robo_frame_command), sizeof(struct robo_frame_command), 50, 3, 3, robo_set_frame_force_fields };

static const struct robo_field robo_result_entry_fields[] = {
    { .name = "signal", .unit = "", .doc = "one of the seven signals", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_result_entry, signal), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "reason", .unit = "", .doc = "the reason", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_result_entry, reason), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "scheduled", .unit = "", .doc = "instant at which it should have begun, after the mode's shift; of refused commands as far as known", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_result_entry, scheduled), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, .none = 1, },
    { .name = "executed", .unit = "", .doc = "instant at which it began; executed - scheduled is its lateness", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_result_entry, executed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, .none = 1, },
    { .name = "finished", .unit = "", .doc = "instant at which it ended, or was refused", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_result_entry, finished), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_result_entry_message = { "robo_result_entry", sizeof(struct robo_result_entry), sizeof(struct robo_result_entry), 26, 5, 5, robo_result_entry_fields };

static const struct robo_field robo_missed_fields[] = {
    { .name = "position_error", .unit = "m", .doc = "distance of the control frame from the requested position", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_missed, position_error), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "rotation_error", .unit = "rad", .doc = "angle between its attitude and the requested one; 0 where any was accepted", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_missed, rotation_error), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_missed_message = { "robo_missed", sizeof(struct robo_missed), sizeof(struct robo_missed), 16, 2, 2, robo_missed_fields };

static const struct robo_field robo_part_fields[] = {
    { .name = "kind", .unit = "", .doc = "kind of part", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_part, kind), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "signal", .unit = "", .doc = "its own; na: the body lacks the part, which was left out", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_part, signal), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 1, .hi = 7, },
    { .name = "reason", .unit = "", .doc = "the reason", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_part, reason), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "number", .unit = "", .doc = "of the dof or control frame; 0 for the base", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_part, number), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_part_message = { "robo_part", sizeof(struct robo_part), sizeof(struct robo_part), 5, 4, 4, robo_part_fields };

static const struct robo_field robo_notice_fault_fields[] = {
    { .name = "code", .unit = "", .doc = "error number", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_notice_fault, code), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "lowest", .unit = "", .doc = "for EVERSION: the lowest version that the server speaks; otherwise 0", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_fault, lowest), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "highest", .unit = "", .doc = "for EVERSION: the highest; otherwise 0", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_fault, highest), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "package", .unit = "", .doc = "id of the package", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_fault, package), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "query", .unit = "", .doc = "id of the query or command; 0: the package as a whole", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_fault, query), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "offset", .unit = "", .doc = "byte of the package, counted from its header, at which the refused entry or header field begins; 0: unspecified", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_fault, offset), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "text", .unit = "", .doc = "the expected value, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_fault, text), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 127,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_fault_message = { "robo_notice_fault", sizeof(struct robo_notice_fault), sizeof(struct robo_notice_fault), 16, 7, 7, robo_notice_fault_fields };

static const struct robo_field robo_notice_panicked_fields[] = {
    { .name = "epoch", .unit = "", .doc = "number of panics so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_panicked, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_panicked_message = { "robo_notice_panicked", sizeof(struct robo_notice_panicked), sizeof(struct robo_notice_panicked), 4, 1, 1, robo_notice_panicked_fields };

static const struct robo_field robo_notice_reset_fields[] = {
    { .name = "epoch", .unit = "", .doc = "number of panics so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_reset, epoch), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_reset_message = { "robo_notice_reset", sizeof(struct robo_notice_reset), sizeof(struct robo_notice_reset), 4, 1, 1, robo_notice_reset_fields };

static const struct robo_field robo_notice_deadman_fields[] = {
    { .name = "silence", .unit = "", .doc = "length of the silence", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_deadman, silence), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_deadman_message = { "robo_notice_deadman", sizeof(struct robo_notice_deadman), sizeof(struct robo_notice_deadman), 8, 1, 1, robo_notice_deadman_fields };

static const struct robo_field robo_notice_changed_fields[] = {
    { .name = "revision", .unit = "", .doc = "number of times that this has happened", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_changed, revision), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_changed_message = { "robo_notice_changed", sizeof(struct robo_notice_changed), sizeof(struct robo_notice_changed), 4, 1, 1, robo_notice_changed_fields };

static const struct robo_field robo_notice_stopped_fields[] = {
    { .name = "stops", .unit = "", .doc = "number of such stops and losses so far; the lowest 16 bits go into the headers of later packages", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_stopped, stops), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_stopped_message = { "robo_notice_stopped", sizeof(struct robo_notice_stopped), sizeof(struct robo_notice_stopped), 4, 1, 1, robo_notice_stopped_fields };

static const struct robo_field robo_notice_paused_fields[] = {
    { .name = "count", .unit = "", .doc = "number of times that this has happened", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_paused, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "due", .unit = "", .doc = "when that frame should have begun", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_paused, due), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_paused_message = { "robo_notice_paused", sizeof(struct robo_notice_paused), sizeof(struct robo_notice_paused), 12, 2, 2, robo_notice_paused_fields };

static const struct robo_field robo_notice_resumed_fields[] = {
    { .name = "count", .unit = "", .doc = "number of pauses so far, including those too short to brake", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_resumed, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "due", .unit = "", .doc = "when the missing frame should have begun", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_resumed, due), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "later", .unit = "s", .doc = "increase of the shift", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_resumed, later), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "path", .unit = "m", .doc = "distance that the root link moved after that", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_notice_resumed, path), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "turn", .unit = "rad", .doc = "angle that it turned", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_notice_resumed, turn), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "dof", .unit = "dof", .doc = "greatest distance that a dof moved", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_notice_resumed, dof), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_resumed_message = { "robo_notice_resumed", sizeof(struct robo_notice_resumed), sizeof(struct robo_notice_resumed), 44, 6, 6, robo_notice_resumed_fields };

static const struct robo_field robo_notice_settled_fields[] = {
    { .name = "succeeded", .unit = "", .doc = "number of commands of the session that ended so", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_notice_settled, succeeded), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_settled_message = { "robo_notice_settled", sizeof(struct robo_notice_settled), sizeof(struct robo_notice_settled), 8, 1, 1, robo_notice_settled_fields };

static const struct robo_field robo_notice_override_fields[] = {
    { .name = "share", .unit = "ratio", .doc = "the new override", .kind = ROBO_FIELD_REAL32,
      .offset = offsetof(struct robo_notice_override, share), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_override_message = { "robo_notice_override", sizeof(struct robo_notice_override), sizeof(struct robo_notice_override), 4, 1, 1, robo_notice_override_fields };

static const struct robo_field robo_notice_held_fields[] = {
    { .name = "holder", .unit = "", .doc = "number of that client; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_held, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_held, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_held_message = { "robo_notice_held", sizeof(struct robo_notice_held), sizeof(struct robo_notice_held), 4, 2, 2, robo_notice_held_fields };

static const struct robo_field robo_notice_leases_fields[] = {
    { .name = "changes", .unit = "", .doc = "number of times that this has happened", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_leases, changes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_leases_message = { "robo_notice_leases", sizeof(struct robo_notice_leases), sizeof(struct robo_notice_leases), 4, 1, 1, robo_notice_leases_fields };

static const struct robo_field robo_notice_asked_fields[] = {
    { .name = "holder", .unit = "", .doc = "number of that client; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_asked, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_asked, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "due", .unit = "", .doc = "instant until which it waits for the answer", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_asked, due), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "base", .unit = "", .doc = "1: it asks for the base", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_asked, base), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "bytes of mask that follow", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_asked, bytes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mask", .unit = "", .doc = "bit n of byte k: it asks for dof 8k + n", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_asked, mask), .counter = offsetof(struct robo_notice_asked, bytes), .count = 1, .max = 64,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_asked_message = { "robo_notice_asked", sizeof(struct robo_notice_asked), offsetof(struct robo_notice_asked, mask), 15, 6, 6, robo_notice_asked_fields };

static const struct robo_field robo_notice_lost_fields[] = {
    { .name = "holder", .unit = "", .doc = "number of that client; 0: the program that serves the robot", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_lost, holder), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_lost, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "number of times that this has happened since the last such notice", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_lost, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_lost_message = { "robo_notice_lost", sizeof(struct robo_notice_lost), sizeof(struct robo_notice_lost), 8, 3, 3, robo_notice_lost_fields };

static const struct robo_field robo_notice_answered_fields[] = {
    { .name = "state", .unit = "", .doc = "1 taken; 4 refused; 0 the request has ended, because the robot's description was replaced", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_answered, state), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_answered_message = { "robo_notice_answered", sizeof(struct robo_notice_answered), sizeof(struct robo_notice_answered), 1, 1, 1, robo_notice_answered_fields };

static const struct robo_field robo_notice_fallen_fields[] = {
    { .name = "lies", .unit = "", .doc = "1: it has fallen, and its base accepts only stops; 0: it is upright again", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_fallen, lies), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "falls", .unit = "", .doc = "number of falls so far", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_fallen, falls), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_fallen_message = { "robo_notice_fallen", sizeof(struct robo_notice_fallen), sizeof(struct robo_notice_fallen), 5, 2, 2, robo_notice_fallen_fields };

static const struct robo_field robo_notice_latched_fields[] = {
    { .name = "stop", .unit = "", .doc = "number of the stop, for `resume`; 0: no stop", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_latched, stop), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "holds", .unit = "", .doc = "1: this client is latched; 0: it is not", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_notice_latched, holds), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "by", .unit = "", .doc = "number of the client that stopped it", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_notice_latched, by), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "name", .unit = "", .doc = "name that the client gives itself, for people", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_latched, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "since", .unit = "", .doc = "instant of the stop, on the server's clock", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_notice_latched, since), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_latched_message = { "robo_notice_latched", sizeof(struct robo_notice_latched), sizeof(struct robo_notice_latched), 17, 5, 5, robo_notice_latched_fields };

static const struct robo_field robo_notice_blocked_fields[] = {
    { .name = "name", .unit = "", .doc = "name of the thing or the robot in the way; empty: the way is free", .kind = ROBO_FIELD_TEXT,
      .offset = offsetof(struct robo_notice_blocked, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_notice_blocked_message = { "robo_notice_blocked", sizeof(struct robo_notice_blocked), sizeof(struct robo_notice_blocked), 0, 1, 1, robo_notice_blocked_fields };

static const struct robo_field robo_block_fields[] = {
    { .name = "magic", .unit = "", .doc = "0x52544342, the letters RTCB", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_block, magic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "version", .unit = "", .doc = "2", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_block, version), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "header", .unit = "", .doc = "bytes of the header: this part and the next", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_block, header), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "size", .unit = "", .doc = "bytes of the whole block", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_block, size), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "offset", .unit = "", .doc = "first byte of each section: links, joints, dofs, control frames, shapes, cameras, sensors, widgets", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_block, offset), .counter = ROBO_FIELD_FIXED, .count = 8, .max = 8,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "bytes", .unit = "", .doc = "bytes of one record of each section", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_block, bytes), .counter = ROBO_FIELD_FIXED, .count = 8, .max = 8,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_block_message = { "robo_block", sizeof(struct robo_block), sizeof(struct robo_block), 60, 6, 6, robo_block_fields };

static const struct robo_field robo_configuration_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_description, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "model", .unit = "", .doc = "its body, for people", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_description, model), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "links", .unit = "", .doc = "records in the section of links", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, links), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "joints", .unit = "", .doc = "records in the section of joints; joint 0 is the root's", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, joints), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "records in the section of dofs", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "frames", .unit = "", .doc = "records in the section of control frames; control frame 0 is the root link's own frame", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, frames), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "shapes", .unit = "", .doc = "records in the section of shapes", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, shapes), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "cameras", .unit = "", .doc = "records in the section of cameras", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, cameras), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "sensors", .unit = "", .doc = "records in the section of sensors", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, sensors), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "widgets", .unit = "", .doc = "records in the section of widgets", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_description, widgets), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "deadman", .unit = "s", .doc = "silence of its client after which it stops; 0: none", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_description, deadman), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "deadman_limit", .unit = "s", .doc = "longest deadman time that a client may request; 0: 5 s", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_description, deadman_limit), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "gap_limit", .unit = "s", .doc = "longest time between two frames that a buffered session may request; 0: 5 s", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_description, gap_limit), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "panic", .unit = "", .doc = "0 hold, 1 brake, 2 limp, 3 retreat; effect of a halt on this body", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_description, panic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 3, },
    { .name = "holonomic", .unit = "", .doc = "1: the base can move sideways", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_description, holonomic), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "base_speed", .unit = "dof/s", .doc = "greatest: x, y m/s, theta rad/s", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, base_speed), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "base_acceleration", .unit = "dof/s2", .doc = "greatest: x, y m/s2, theta rad/s2", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, base_acceleration), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "battery", .unit = "J", .doc = "of the full battery", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, battery), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "voltage", .unit = "V", .doc = "of the full battery", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, voltage), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "bus_rate", .unit = "1/s", .doc = "messages a second that it carries", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, bus_rate), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "bus_order", .unit = "", .doc = "0 none, 1 sequential, 2 updated, 3 synchronised, 4 predictive, 5 greatest, 6 optimal, 7 planned; which joint gets the next message (paper 004); with none, commands go straight to the drivers", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_description, bus_order), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 7, },
    { .name = "bus_age", .unit = "s", .doc = "longest time between messages to a joint: less than the watchdogs of its controllers", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_description, bus_age), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "bus_weight", .unit = "ratio", .doc = "weights of errors: x, y, z of frames; roll, pitch, yaw and revolute dofs in metres a radian; all 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_description, bus_weight), .counter = ROBO_FIELD_FIXED, .count = 7, .max = 7,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "commands", .unit = "", .doc = "bit n: command 256 + n is supported", .kind = ROBO_FIELD_U64,
      .offset = offsetof(struct robo_description, commands), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "base_translator", .unit = "", .doc = "name of the base's translator; empty: none", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_description, base_translator), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_configuration_message = { "robo_configuration", sizeof(struct robo_description), sizeof(struct robo_description), 347, 24, 25, robo_configuration_fields };

static const struct robo_field robo_link_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_link, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "mass", .unit = "kg", .doc = "0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_link, mass), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "com", .unit = "m", .doc = "centre of mass in the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_link, com), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "inertia", .unit = "kg*m2", .doc = "about the centre of mass, along the link's axes: xx, yy, zz, xy, xz, yz", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_link, inertia), .counter = ROBO_FIELD_FIXED, .count = 6, .max = 6,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "m", .doc = "roots only: in the world", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_link, position), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roots only: in the world", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_link, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_link_message = { "robo_link", sizeof(struct robo_link), sizeof(struct robo_link), 160, 6, 6, robo_link_fields };

static const struct robo_field robo_joint_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_joint, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "parent", .unit = "", .doc = "link; 65535: the world", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_joint, parent), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "child", .unit = "", .doc = "link", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_joint, child), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "servo", .unit = "", .doc = "bits: 1 setpoint, 2 speed, 4 force", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_joint, servo), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 7, },
    { .name = "leg", .unit = "", .doc = "number of the leg that it belongs to, for walking", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_joint, leg), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "inboard", .unit = "m", .doc = "position of the joint from the parent's centre of mass, along the parent's axes", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_joint, inboard), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "outboard", .unit = "m", .doc = "position of the joint from the child's centre of mass, along the child's axes", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_joint, outboard), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "rest", .unit = "ratio", .doc = "rest matrix, row by row: rotation from the joint's axes to the parent's when all dofs are 0", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_joint, rest), .counter = ROBO_FIELD_FIXED, .count = 9, .max = 9,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "first", .unit = "", .doc = "number of its first dof", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_joint, first), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "dofs", .unit = "", .doc = "1 to 6; 0 for the joint of a root that no dof moves", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_joint, dofs), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 6, },
    { .name = "translator", .unit = "", .doc = "name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_joint, translator), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_joint_message = { "robo_joint", sizeof(struct robo_joint), sizeof(struct robo_joint), 225, 10, 11, robo_joint_fields };

static const struct robo_field robo_dof_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_dof, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "kind", .unit = "", .doc = "0 revolute, 1 prismatic", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_dof, kind), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "axis", .unit = "ratio", .doc = "in the joint's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, axis), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "low", .unit = "dof", .doc = "limit: the least", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, low), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "high", .unit = "dof", .doc = "limit: the greatest; less than the least: none", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, high), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "speed", .unit = "dof/s", .doc = "greatest; 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "acceleration", .unit = "dof/s2", .doc = "greatest; 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, acceleration), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "force", .unit = "dof force", .doc = "greatest; 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, force), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "home", .unit = "dof", .doc = "its position after home and at the start", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, home), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "retreats", .unit = "", .doc = "1: on panic it moves to `retreat`, if the robot's panic is a retreat", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_dof, retreats), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "retreat", .unit = "dof", .doc = "position to retreat to", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, retreat), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "mimics", .unit = "", .doc = "number of the dof that it follows, plus 1; 0: none", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_dof, mimics), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "ratio", .unit = "ratio", .doc = "its position is ratio * the other's position + shift", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, ratio), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "shift", .unit = "dof", .doc = "shift of that position", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_dof, shift), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_dof_message = { "robo_dof", sizeof(struct robo_dof), sizeof(struct robo_dof), 132, 14, 14, robo_dof_fields };

static const struct robo_field robo_frame_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_frame, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "link", .unit = "", .doc = "the link that it is fixed to", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_frame, link), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "m", .doc = "x, y, z in the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame, position), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "servo", .unit = "", .doc = "bits: 1 setpoint, 2 speed, 4 force", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_frame, servo), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 7, },
    { .name = "speed", .unit = "m/s", .doc = "greatest; 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame, speed), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "turn", .unit = "rad/s", .doc = "greatest; 0: not known", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_frame, turn), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "translator", .unit = "", .doc = "name of the translator, as for a joint", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_frame, translator), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_frame_message = { "robo_frame", sizeof(struct robo_frame), sizeof(struct robo_frame), 163, 7, 8, robo_frame_fields };

static const struct robo_field robo_shape_fields[] = {
    { .name = "link", .unit = "", .doc = "the link that it is part of", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_shape, link), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "kind", .unit = "", .doc = "0 box, 1 cylinder, 2 sphere, 3 mesh; cylinders lie along z", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_shape, kind), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 3, },
    { .name = "size", .unit = "m", .doc = "box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale. One number for a box or a mesh: all three", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_shape, size), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "m", .doc = "x, y, z in the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_shape, position), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_shape, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "colour", .unit = "", .doc = "0xrrggbbaa; 0: unspecified", .kind = ROBO_FIELD_U32,
      .offset = offsetof(struct robo_shape, colour), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "file", .unit = "", .doc = "of a mesh", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_shape, file), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 127,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "solid", .unit = "", .doc = "1: for collisions; 0: for pictures", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_shape, solid), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 1, },
    { .name = "roll", .unit = "", .doc = "0 not, 1 wheel, 2 omni, 3 caster; for a shape that carries the root link, with physics: a wheel or an omni wheel (cylinders), which the base drives, or a caster (a sphere)", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_shape, roll), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 3, },
    { .name = "friction", .unit = "ratio", .doc = "coefficient of sliding friction; 0: 1", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_shape, friction), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_shape_message = { "robo_shape", sizeof(struct robo_shape), sizeof(struct robo_shape), 217, 8, 10, robo_shape_fields };

static const struct robo_field robo_camera_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_camera, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "link", .unit = "", .doc = "the link that it is fixed to", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_camera, link), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "m", .doc = "x, y, z in the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_camera, position), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_camera, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "width", .unit = "", .doc = "pixels", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_camera, width), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "height", .unit = "", .doc = "pixels", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_camera, height), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "fov", .unit = "rad", .doc = "horizontal field of view", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_camera, fov), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "rate", .unit = "1/s", .doc = "pictures a second", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_camera, rate), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "translator", .unit = "", .doc = "name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_camera, translator), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
};
const struct robo_message robo_camera_message = { "robo_camera", sizeof(struct robo_camera), sizeof(struct robo_camera), 166, 8, 9, robo_camera_fields };

static const struct robo_field robo_sensor_fields[] = {
    { .name = "name", .unit = "", .doc = "its name", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_sensor, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "link", .unit = "", .doc = "the link that it is fixed to", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_sensor, link), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "position", .unit = "m", .doc = "x, y, z in the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, position), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "attitude", .unit = "rad", .doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, attitude), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000000, .lo = 0, .hi = 0, },
    { .name = "kind", .unit = "", .doc = "one of the kinds of docs/sensors.md (sonar, laser, bumper, imu, …), or a custom type", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_sensor, kind), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "low", .unit = "dof", .doc = "reading, in its unit: the least", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, low), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "high", .unit = "dof", .doc = "reading, in its unit: the greatest; less than the least: none", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, high), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "opening", .unit = "rad", .doc = "opening angle; 0: a ray", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, opening), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "unit", .unit = "", .doc = "of its readings", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_sensor, unit), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 15,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "count", .unit = "", .doc = "number of values of a reading", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_sensor, count), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "rate", .unit = "1/s", .doc = "readings a second; 0: that of its kind", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, rate), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "fov", .unit = "rad", .doc = "of a scan: angle from the first beam, on the right, to the last", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, fov), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "values", .unit = "", .doc = "of a custom type: names of its values, separated by spaces", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_sensor, values), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 127,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "translator", .unit = "", .doc = "name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_sensor, translator), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 63,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "noise", .unit = "dof", .doc = "simulated: standard deviation of each reading, in its unit", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, noise), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "noise_scale", .unit = "ratio", .doc = "simulated: further standard deviation, as a share of the reading", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, noise_scale), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "bias", .unit = "dof", .doc = "simulated: constant that is added to each reading, in its unit", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, bias), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "resolution", .unit = "dof", .doc = "simulated: readings are multiples of this step, in their unit", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, resolution), .counter = ROBO_FIELD_FIXED, .count = 3, .max = 3,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "dropout", .unit = "ratio", .doc = "simulated: probability that a reading is missing; for a range, that it reports no obstacle", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, dropout), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "latency", .unit = "s", .doc = "simulated: delay of a reading", .kind = ROBO_FIELD_TIME,
      .offset = offsetof(struct robo_sensor, latency), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000, .lo = 0, .hi = 0, },
    { .name = "slip", .unit = "ratio", .doc = "simulated odometry: standard deviation of the distance counted after 1 m, m, and of the rotation, rad", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_sensor, slip), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_sensor_message = { "robo_sensor", sizeof(struct robo_sensor), sizeof(struct robo_sensor), 468, 9, 21, robo_sensor_fields };

static const struct robo_field robo_widget_fields[] = {
    { .name = "name", .unit = "", .doc = "its label", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_widget, name), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "kind", .unit = "", .doc = "0 slider, 1 knob, 2 number, 3 button, 4 pad, 5 label; its appearance", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_widget, kind), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 5, },
    { .name = "command", .unit = "", .doc = "the command that it gives", .kind = ROBO_FIELD_CHARS,
      .offset = offsetof(struct robo_widget, command), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 31,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "joint", .unit = "", .doc = "the joint that it is for; 65535: none", .kind = ROBO_FIELD_U16,
      .offset = offsetof(struct robo_widget, joint), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "dof", .unit = "", .doc = "dof within the joint; 255: none", .kind = ROBO_FIELD_U8,
      .offset = offsetof(struct robo_widget, dof), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1, .lo = 0, .hi = 0, },
    { .name = "low", .unit = "dof", .doc = "range: the least", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_widget, low), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "high", .unit = "dof", .doc = "range: the greatest; less than the least: none", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_widget, high), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
    { .name = "step", .unit = "dof", .doc = "smallest change; 0: none", .kind = ROBO_FIELD_REAL64,
      .offset = offsetof(struct robo_widget, step), .counter = ROBO_FIELD_FIXED, .count = 1, .max = 1,
      .per = 1000000000, .lo = 0, .hi = 0, },
};
const struct robo_message robo_widget_message = { "robo_widget", sizeof(struct robo_widget), sizeof(struct robo_widget), 92, 8, 8, robo_widget_fields };

const struct robo_message *const robo__messages[] = {
    &robo_header_message,
    &robo_entry_message,
    &robo_state_message,
    &robo_reply_state_message,
    &robo_request_hello_message,
    &robo_reply_hello_message,
    &robo_request_robot_message,
    &robo_reply_robot_message,
    &robo_request_open_message,
    &robo_reply_open_message,
    &robo_request_sync_message,
    &robo_reply_sync_message,
    &robo_request_state_message,
    &robo_request_broadcast_message,
    &robo_request_broadcast_cancel_message,
    &robo_request_cancel_message,
    &robo_reply_cancel_message,
    &robo_reply_status_message,
    &robo_request_override_message,
    &robo_reply_pauses_message,
    &robo_request_sense_message,
    &robo_reply_sense_message,
    &robo_request_watch_message,
    &robo_request_record_message,
    &robo_request_picture_message,
    &robo_reply_picture_message,
    &robo_request_view_message,
    &robo_request_pieces_message,
    &robo_reply_describe_message,
    &robo_request_joint_message,
    &robo_request_dof_message,
    &robo_request_link_message,
    &robo_request_frame_message,
    &robo_request_configuration_message,
    &robo_reply_configuration_message,
    &robo_request_reload_message,
    &robo_reply_reload_message,
    &robo_request_holder_message,
    &robo_reply_holder_message,
    &robo_request_take_message,
    &robo_reply_take_message,
    &robo_request_give_message,
    &robo_request_release_message,
    &robo_request_resume_message,
    &robo_request_latch_message,
    &robo_reply_latch_message,
    &robo_reply_lists_message,
    &robo_reply_bus_message,
    &robo_request_script_message,
    &robo_reply_script_message,
    &robo_request_script_start_message,
    &robo_request_script_stop_message,
    &robo_request_script_reload_message,
    &robo_start_message,
    &robo_stop_message,
    &robo_go_to_message,
    &robo_set_speed_message,
    &robo_set_joint_message,
    &robo_set_joint_speed_message,
    &robo_set_joint_force_message,
    &robo_home_message,
    &robo_step_message,
    &robo_set_frame_message,
    &robo_set_frame_speed_message,
    &robo_set_frame_force_message,
    &robo_result_entry_message,
    &robo_missed_message,
    &robo_part_message,
    &robo_notice_fault_message,
    &robo_notice_panicked_message,
    &robo_notice_reset_message,
    &robo_notice_deadman_message,
    &robo_notice_changed_message,
    &robo_notice_stopped_message,
    &robo_notice_paused_message,
    &robo_notice_resumed_message,
    &robo_notice_settled_message,
    &robo_notice_override_message,
    &robo_notice_held_message,
    &robo_notice_leases_message,
    &robo_notice_asked_message,
    &robo_notice_lost_message,
    &robo_notice_answered_message,
    &robo_notice_fallen_message,
    &robo_notice_latched_message,
    &robo_notice_blocked_message,
    &robo_block_message,
    &robo_configuration_message,
    &robo_link_message,
    &robo_joint_message,
    &robo_dof_message,
    &robo_frame_message,
    &robo_shape_message,
    &robo_camera_message,
    &robo_sensor_message,
    &robo_widget_message,
    NULL,
};

static const struct robo_message empty = { "empty", 0, 0, 0, 0, 0, NULL };

const struct robo_operation robo__queries[] = {
    { "hello", 1, &robo_request_hello_message, &robo_reply_hello_message, "first query on a connection: versions, identity and requested role of the client" },
    { "robot", 2, &robo_request_robot_message, &robo_reply_robot_message, "the name of one robot, for listing them" },
    { "open", 3, &robo_request_open_message, &robo_reply_open_message, "opens a session with one robot in one command mode" },
    { "close", 4, &empty, &empty, "ends the session: its queued commands are dropped, its motions are stopped" },
    { "sync", 5, &robo_request_sync_message, &robo_reply_sync_message, "one exchange of clock readings" },
    { "state", 6, &robo_request_state_message, &robo_reply_state_message, "the robot's kinodynamic state now" },
    { "broadcast", 7, &robo_request_broadcast_message, &robo_reply_state_message, "sends the state every period, until cancelled; the answers carry this query's id" },
    { "broadcast_cancel", 8, &robo_request_broadcast_cancel_message, &empty, "ends a broadcast, a watch, a view, or a picture that has not arrived" },
    { "cancel", 9, &robo_request_cancel_message, &robo_reply_cancel_message, "cancels a command, which brakes within its limits if it is in progress; or all of the session that have not begun" },
    { "status", 10, &empty, &robo_reply_status_message, "the session's queues and counters of its frames" },
    { "finish", 11, &empty, &empty, "marks the end of the sequence: a mode that holds packages decides now; a session that receives errors only gets `settled` when all is done" },
    { "override", 20, &robo_request_override_message, &empty, "the speed override: from now on all motions of the robot run at this share of their speeds; 0 holds them on their paths" },
    { "pauses", 19, &empty, &robo_reply_pauses_message, "how often the session has paused because a frame was late, and how far its robot moved meanwhile" },
    { "sense", 30, &robo_request_sense_message, &robo_reply_sense_message, "the newest readings of some sensors" },
    { "watch", 31, &robo_request_watch_message, &robo_reply_sense_message, "sends readings of some sensors, whenever there are new ones, at most once a period, until broadcast_cancel; the answers carry this query's id" },
    { "record", 32, &robo_request_record_message, &robo_reply_sense_message, "all readings of a sensor after a given one, the oldest first, as far as the server keeps them and they fit into one answer" },
    { "picture", 33, &robo_request_picture_message, &robo_reply_picture_message, "a picture of a camera, in pieces: the answers carry this query's id" },
    { "view", 34, &robo_request_view_message, &robo_reply_picture_message, "sends pictures of a camera, whenever there is a newer one and the last one was sent, at most one a period, until broadcast_cancel" },
    { "pieces", 35, &robo_request_pieces_message, &empty, "acknowledges received bytes of a picture, a view, a broadcast or a watch, so that more may follow" },
    { "describe", 12, &empty, &robo_reply_describe_message, "the description of the robot in brief" },
    { "joint", 13, &robo_request_joint_message, &robo_joint_message, "one joint" },
    { "dof", 14, &robo_request_dof_message, &robo_dof_message, "one dof" },
    { "link", 15, &robo_request_link_message, &robo_link_message, "one link" },
    { "frame", 16, &robo_request_frame_message, &robo_frame_message, "one control frame" },
    { "configuration", 17, &robo_request_configuration_message, &robo_reply_configuration_message, "the configuration block, or as much of it as fits into one answer" },
    { "reload", 21, &robo_request_reload_message, &robo_reply_reload_message, "replaces the description of the robot by a configuration block, which is sent in pieces, in their order; the last piece applies it" },
    { "holder", 22, &robo_request_holder_message, &robo_reply_holder_message, "one of the clients that hold leases of the session's robot, for listing them; ENONE: there are no more" },
    { "take", 23, &robo_request_take_message, &robo_reply_take_message, "asks for leases of the session's robot; repeated, it reports the state of the request" },
    { "give", 24, &robo_request_give_message, &empty, "answers the notice `asked`; ENONE: that client asks for no lease that this one holds" },
    { "release", 25, &robo_request_release_message, &empty, "gives leases of the session's robot back; motions of the client there are stopped first, and commands waiting for them are interrupted" },
    { "resume", 26, &robo_request_resume_message, &empty, "ends the latch set by another client's stop of everything; ESTOPPED: `stop` is not the number of that stop, or for scope 1 not the number of the newest stop" },
    { "latch", 27, &robo_request_latch_message, &robo_reply_latch_message, "one of the clients that are latched by a stop, for listing them; ENONE: there are no more" },
    { "lists", 40, &empty, &robo_reply_lists_message, "the server reads the access lists of its addresses again; for the role operate" },
    { "bus", 18, &empty, &robo_reply_bus_message, "messages and remaining error of the robot's bus (paper 004); ENONE: it has no bus" },
    { "script", 60, &robo_request_script_message, &robo_reply_script_message, "one of the scripts that run in the server, for listing them; ENONE: there is none of that index" },
    { "script_start", 61, &robo_request_script_start_message, &empty, "starts a script of the server that is not running" },
    { "script_stop", 62, &robo_request_script_stop_message, &empty, "ends a script: its connections are closed, and it is not started again" },
    { "script_reload", 63, &robo_request_script_reload_message, &empty, "replaces a script by the present contents of its file: the new one is loaded, then the old one ended; if loading fails, the old one goes on" },
    { NULL, 0, NULL, NULL, NULL },
};

const struct robo_operation robo__commands[] = {
    { "stop", 256, &robo_stop_message, &empty, "stops the base and every joint, or only the named ones, within their acceleration limits; motions in progress are interrupted" },
    { "go_to", 257, &robo_go_to_message, &empty, "drives or walks the root link to a place on the floor; holds the base until it arrives" },
    { "set_speed", 258, &robo_set_speed_message, &empty, "velocity of the root link in its own frame, until changed" },
    { "set_joint", 259, &robo_set_joint_message, &empty, "moves dofs of a joint to set-points" },
    { "set_joint_speed", 260, &robo_set_joint_speed_message, &empty, "speeds of dofs of a joint, until changed" },
    { "set_joint_force", 261, &robo_set_joint_force_message, &empty, "forces or torques of dofs of a joint, until changed" },
    { "home", 262, &robo_home_message, &empty, "every joint to its rest position" },
    { "step", 263, &robo_step_message, &empty, "one step of one leg" },
    { "set_frame", 264, &robo_set_frame_message, &empty, "moves a control frame to a pose in the root link's frame; if it is out of reach, to the nearest reachable one" },
    { "set_frame_speed", 265, &robo_set_frame_speed_message, &empty, "twist of a control frame in the root link's axes, until changed" },
    { "set_frame_force", 266, &robo_set_frame_force_message, &empty, "wrench at a control frame in the root link's axes, until changed" },
    { "move", 267, &empty, &empty, "a frame: moves the base, dofs and control frames together" },
    { NULL, 0, NULL, NULL, NULL },
};

const struct robo_operation robo__notices[] = {
    { "fault", 512, &robo_notice_fault_message, &empty, "a package or query was refused; the connection stays open unless the framing is lost" },
    { "panicked", 513, &robo_notice_panicked_message, &empty, "the robot of this session entered panic; its queues are empty" },
    { "reset", 514, &robo_notice_reset_message, &empty, "the panic of this session's robot was reset" },
    { "deadman", 515, &robo_notice_deadman_message, &empty, "the robot was stopped because this session was silent" },
    { "shutdown", 516, &empty, &empty, "the server is closing; robots are halted" },
    { "changed", 518, &robo_notice_changed_message, &empty, "the description of this session's robot was replaced: the client must fetch its configuration again" },
    { "stopped", 519, &robo_notice_stopped_message, &empty, "another session stopped the robot, and the running, queued and held commands of this one were interrupted; or, after `lost`, leases were lost" },
    { "paused", 520, &robo_notice_paused_message, &empty, "a frame is missing: the session holds again, and axes with a speed brake" },
    { "resumed", 521, &robo_notice_resumed_message, &empty, "the commands that the session holds are played again, later than before" },
    { "settled", 522, &robo_notice_settled_message, &empty, "after finish, for a session that receives errors only: each command so far has its result; those without a sent result are SUCCESS" },
    { "override", 523, &robo_notice_override_message, &empty, "the speed override of this session's robot has changed" },
    { "held", 524, &robo_notice_held_message, &empty, "before a result busy, lease, if the holder has changed since the last one: the client that holds the lease of the command's axes" },
    { "leases", 525, &robo_notice_leases_message, &empty, "the leases of another client of this session's robot have changed; expiry alone is not reported" },
    { "asked", 526, &robo_notice_asked_message, &empty, "another client asks for leases that this one has; the query `give` answers, and silence counts as consent" },
    { "lost", 527, &robo_notice_lost_message, &empty, "another client took leases that this one had: motions and waiting commands of these axes were interrupted; `stopped` follows, with the new count" },
    { "answered", 528, &robo_notice_answered_message, &empty, "this client's request for leases is decided; `take` reports the state" },
    { "fallen", 529, &robo_notice_fallen_message, &empty, "the robot of this session has fallen over, or is upright again" },
    { "latched", 530, &robo_notice_latched_message, &empty, "a stop by another client has latched this session's client: motion commands are INTERRUPTED, stopped, until `resume`; or the latch has ended; or, before the result of the client's own stop, the number of that stop" },
    { "blocked", 531, &robo_notice_blocked_message, &empty, "something keeps the base of this session's robot from moving as commanded, or nothing does any more; sent before a result blocked of the base" },
    { "removed", 517, &empty, &empty, "the robot of this session was removed; the session is closed" },
    { NULL, 0, NULL, NULL, NULL },
};
