-- What a robot is, as records: links, joints, dofs, control frames and the rest of a descriptor (paper 000, III.B).
-- gen.lua makes of them the C structs that the core keeps, and the tables by which the configuration block is
-- written and read. Rows are those of messages.lua, and beside them
--   chars  a text in a field of fixed length, max + 1 bytes, filled up with zeros: records have one size
--   scale  what one count is worth here, where the unit's own is too coarse for a body
--   host   true: stands in the C struct and never on the wire; who drives is the server's own affair
-- Where a record names another it gives its number in its section.

local FINE = 1e-9 -- lengths, limits, masses: a millionth of a millimetre; at most 2.2e6
local EXACT = 1e-12 -- directions and angles

local name = { "name", "chars", max = 31, doc = "its name" }
local position = { "position", "real", unit = "m", count = 3, scale = FINE, doc = "x, y, z in the link's frame" }
local attitude = { "attitude", "real", unit = "rad", count = 3, scale = EXACT,
  doc = "roll, pitch, yaw about the fixed axes x, y, z of the link's frame" }
local function greatest(what, unit) return { what, "real", unit = unit, scale = FINE, doc = "greatest; 0: not known" } end

return {
  magic = 0x52544342, -- "RTCB"

  -- Which joint gets the next message on a bus (paper 004). A descriptor's words for them are these names.
  orders = {
    { "none", 0, "commands go straight to the drivers" },
    { "sequential", 1, "scheme A: speeds computed once for a round through all joints" },
    { "updated", 2, "B: one joint after the other, computed anew for each message" },
    { "synchronised", 3, "C: as A, stored at the joints; a broadcast begins them all" },
    { "predictive", 4, "D: as C, with the speeds of the instant of the broadcast" },
    { "greatest", 5, "E, the paper's: the joint whose error counts most (equation 11)" },
    { "optimal", 6, "F: the joint that takes most off what is left of the error" },
    { "planned", 7, "F by the best order of all joints, the first of it; at most 10 dofs" },
  },

  -- the first part of the block's header: where the sections are
  block = {
    { "magic", "u32", doc = "0x52544342, the letters RTCB" },
    { "version", "u16", doc = "1" },
    { "header", "u16", doc = "bytes of the header: this part and the next" },
    { "size", "u32", doc = "bytes of the whole block" },
    { "offset", "u32", count = 8, doc = "first byte of each section: links, joints, dofs, control frames, shapes, cameras, sensors, widgets" },
    { "bytes", "u16", count = 8, doc = "bytes of one record of each section" },
  },

  -- the second part: what holds for the whole robot. Its fields are those of struct robo_description
  configuration = {
    name,
    { "model", "chars", max = 63, doc = "its body, for people" },
    { "links", "u16", max = 72, doc = "records in the section of links" },
    { "joints", "u16", doc = "likewise; joint 0 is the root's" },
    { "dofs", "u16", doc = "likewise" },
    { "frames", "u16", doc = "likewise; control frame 0 is the root link's own frame" },
    { "shapes", "u16", doc = "likewise" },
    { "cameras", "u16", doc = "likewise" },
    { "sensors", "u16", doc = "likewise" },
    { "widgets", "u16", doc = "likewise" },
    { "commands", "u64", doc = "bit n: command 256 + n is supported" },
    { "deadman", "time", unit = "s", doc = "silence after which the moving robot stops; 0: none" },
    { "deadman_limit", "time", unit = "s", doc = "longest deadman time that a client may ask for; 0: 5 s" },
    { "gap_limit", "time", unit = "s", doc = "longest time between two frames that a buffered session may state; 0: 5 s" },
    { "panic", "u8", hi = 3, doc = "what halt means for this body: 0 hold, 1 brake, 2 limp, 3 retreat" },
    { "holonomic", "u8", hi = 1, doc = "1: the base can move sideways" },
    { "base_speed", "real", unit = "dof/s", count = 3, scale = FINE, doc = "greatest: ahead m/s, sideways m/s, turning rad/s; 0: not known" },
    { "base_acceleration", "real", unit = "dof/s2", count = 3, scale = FINE, doc = "likewise" },
    { "battery", "real", unit = "J", doc = "capacity; 0: no battery" },
    { "voltage", "real", unit = "V", doc = "of the full battery" },
    { "bus_rate", "real", unit = "1/s", doc = "messages a second that its bus carries; 0: not known" },
    { "bus_age", "time", unit = "s", doc = "longest that a joint may go without a message; 0: not known" },
    { "bus_order", "u8", hi = 7,
      doc = "which joint gets the next message (paper 004), one of the orders: none, sequential, updated, synchronised, predictive, greatest, optimal, planned" },
    { "bus_weight", "real", unit = "ratio", count = 7,
      doc = "what counts how much: x, y, z of frames; roll, pitch, yaw and revolute dofs in metres a radian; all 0: not known" },
  },

  -- in the order of the sections
  records = {
    { "link", max = 72, doc = "a rigid body", rows = {
      name,
      { "mass", "real", unit = "kg", scale = FINE, doc = "0: not known" },
      { "com", "real", unit = "m", count = 3, scale = FINE, doc = "centre of mass in the link's frame" },
      { "inertia", "real", unit = "kg*m2", count = 6, scale = FINE, doc = "about the centre of mass along the link's axes: xx, yy, zz, xy, xz, yz" },
      { "position", "real", unit = "m", count = 3, scale = FINE, doc = "of a root: where its frame is in the world" },
      { "attitude", "real", unit = "rad", count = 3, scale = EXACT, doc = "of a root: roll, pitch, yaw in the world" },
    } },
    { "joint", max = 72, doc = "what holds a link to its parent, and its dofs in the order in which they act", rows = {
      name,
      { "parent", "u16", doc = "link; 65535: the world" },
      { "child", "u16", doc = "link" },
      { "servo", "u8", hi = 7, doc = "bits: 1 set-point, 2 speed, 4 force" },
      { "first", "u16", doc = "number of its first dof" },
      { "dofs", "u8", hi = 6, doc = "1 to 6; 0 for the joint of a root that no dof moves" },
      { "leg", "u8", doc = "number of the leg it belongs to, which walking moves; 0: none" },
      { "inboard", "real", unit = "m", count = 3, scale = FINE, doc = "the joint from the parent's centre of mass, along the parent's axes" },
      { "outboard", "real", unit = "m", count = 3, scale = FINE, doc = "the joint from the child's centre of mass, along the child's axes" },
      { "rest", "real", unit = "ratio", count = 9, scale = EXACT, doc = "rest matrix, row by row: turns the joint's axes into the parent's when all dofs are 0" },
      { "device", "u8", host = true, doc = "who drives it" },
    } },
    { "dof", max = 64, doc = "a degree of freedom", rows = {
      name,
      { "kind", "u8", hi = 1, doc = "0 revolute, 1 prismatic" },
      { "axis", "real", unit = "ratio", count = 3, scale = EXACT, doc = "in the joint's frame, unit length" },
      { "low", "real", unit = "dof", scale = FINE, doc = "lower limit" },
      { "high", "real", unit = "dof", scale = FINE, doc = "upper limit; low > high: none" },
      greatest("speed", "dof/s"), greatest("acceleration", "dof/s2"), greatest("force", "dof force"),
      { "home", "real", unit = "dof", scale = FINE, doc = "where home puts it, and where it starts" },
      { "retreats", "u8", hi = 1, doc = "1: on panic it moves to `retreat`, if that is the robot's way" },
      { "retreat", "real", unit = "dof", scale = FINE, doc = "where to" },
      { "mimics", "u16", doc = "number of the dof it follows, plus 1; 0: none" },
      { "ratio", "real", unit = "ratio", scale = FINE, doc = "it is ratio * the other's position + shift" },
      { "shift", "real", unit = "dof", scale = FINE, doc = "likewise" },
    } },
    { "frame", max = 128, doc = "a control frame, fixed to its link", rows = {
      name,
      { "link", "u16", doc = "link it is fixed to" },
      { "servo", "u8", hi = 7, doc = "bits: 1 set-point, 2 speed, 4 force" },
      position, attitude,
      greatest("speed", "m/s"), greatest("turn", "rad/s"),
    } },
    { "shape", max = 160, doc = "what a link looks like", rows = {
      { "link", "u16", doc = "link it is part of" },
      { "kind", "u8", hi = 3, doc = "0 box, 1 cylinder along z, 2 sphere, 3 mesh" },
      { "solid", "u8", hi = 1, doc = "1: for collisions; 0: for pictures" },
      { "size", "real", unit = "m", count = 3, scale = FINE, doc = "box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale along x, y, z" },
      position, attitude,
      { "colour", "u32", doc = "0xrrggbbaa; 0: not said" },
      { "file", "chars", max = 127, doc = "of a mesh" },
    } },
    { "camera", max = 8, doc = "a camera; it looks along the x axis of its frame", rows = {
      name, { "link", "u16", doc = "link it is mounted on" }, position, attitude,
      { "width", "u16", doc = "pixels" }, { "height", "u16", doc = "pixels" },
      { "fov", "real", unit = "rad", doc = "horizontal field of view" },
      { "rate", "real", unit = "1/s", doc = "pictures a second" },
    } },
    { "sensor", max = 64, doc = "a sensor; it looks along the x axis of its frame", rows = {
      name,
      { "kind", "chars", max = 31, doc = "sonar, bumper, infrared, laser, accelerometer, …" },
      { "link", "u16", doc = "link it is mounted on" }, position, attitude,
      { "low", "real", unit = "dof", doc = "least reading, in its unit" },
      { "high", "real", unit = "dof", doc = "greatest reading" },
      { "opening", "real", unit = "rad", doc = "opening angle; 0: a ray" },
      { "unit", "chars", max = 15, doc = "of its readings" },
    } },
    { "widget", max = 64, doc = "a control on an operator's panel", rows = {
      name,
      { "kind", "chars", max = 15, doc = "slider, knob, number, button, pad, label" },
      { "command", "chars", max = 31, doc = "the command it gives; empty: none" },
      { "joint", "u16", doc = "joint it is for; 65535: none" },
      { "dof", "u8", doc = "dof within the joint; 255: none" },
      { "low", "real", unit = "dof", scale = FINE, doc = "range" }, { "high", "real", unit = "dof", scale = FINE, doc = "range" },
      { "step", "real", unit = "dof", scale = FINE, doc = "0: none" },
    } },
  },
}
