-- A descriptor as people write it: a Lua file that returns one table (kind "robot" below). What is wrong in one is
-- told by this page: scripts/robotalk/descriptor walks it, the editor's annotations and spec/descriptors.md are made
-- from it. Prose and examples: spec/descriptors.md. Records of the wire: spec/description.lua.
--
-- A kind is a list of fields: { name, type, doc =, unit =, least =, most =, max =, needed = true, words = }
--   text       at most `max` characters        number   `least` to `most`, in `unit`
--   flag       true or false                   whole    a whole number
--   place      three numbers, x, y, z          angles   three numbers: roll, pitch, yaw about fixed axes x, y, z
--   turn       angles, or three rows of a rotation matrix
--   direction  three numbers, not all 0        range    two numbers, the lower first
--   tensor     { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three rows
--   plane      { x =, y =, theta = }           greatest a number, 0 or more, or { low, high }, whose larger size counts
--   word       one of `words`                  words    one of them, or a list of them
--   link       number or name of a link        colour   "#rrggbb", "#rrggbbaa"
--   options    names and texts, numbers, flags: the driver's own
--   panic      a word, or { joint = { dof = position } }: where to retreat to
--   one K      a table of kind K               list K   a list of them
--   named K    name -> table of kind K         numbered K   the keys are the numbers on the wire, from `first` on
local SERVO = { "setpoint", "speed", "force" }
local position = { "position", "place", unit = "m", doc = "in the link's frame" }
local attitude = { "attitude", "angles", unit = "rad", doc = "turned against the link's frame" }
local function mounted(...)
  return { { "name", "text", max = 31, needed = true, doc = "its name" },
    { "link", "link", needed = true, doc = "what it is fixed to" }, position, attitude, ... }
end

return {
  robot = {
    { "name", "text", max = 31, needed = true, doc = "its name" },
    { "model", "text", max = 63, doc = "its body, for people" },
    { "deadman", "number", unit = "s", least = 0, most = 1e6, doc = "silence after which it stops; 0: none; 0.5 unless said" },
    { "deadman_limit", "number", unit = "s", least = 0, most = 3600, doc = "longest deadman time that a client may ask for; 5 unless said" },
    { "gap_limit", "number", unit = "s", least = 0, most = 3600,
      doc = "longest time between two frames that a buffered session may state; a longer one is silence; 5 unless said" },
    { "panic", "panic", words = { "hold", "brake", "limp" }, doc =
      "what halt means for this body: hold (servos stay on; unless said), brake (within the acceleration limits), limp (motors off), or a posture to retreat to" },
    { "base", "one base", doc = "moves the root link over the floor; without it go_to and set_speed answer na" },
    { "battery", "one battery", doc = "runs empty by use" },
    { "bus", "one bus", doc = "what its joints hang on" },
    { "links", "numbered link", first = 0, max = 72, doc = "rigid bodies; link 0 is the root" },
    { "joints", "numbered joint", first = 1, max = 72, doc = "joint 0 is the root's own and need not be written unless it has dofs" },
    { "frames", "numbered frame", first = 1, max = 128, doc = "control frames; frame 0 is the root link's own" },
    { "cameras", "list camera", max = 8, doc = "they look along the x axis of their frames" },
    { "sensors", "list sensor", max = 64, doc = "they look along the x axis of their frames" },
    { "widgets", "list widget", max = 64, doc = "controls of an operator's panel" },
    { "drivers", "named driver", max = 8, doc = "who moves what: entries are named by joints and base" },
    { "commands", "commands", doc = "names of those it supports; what base, joints and frames allow unless said" },
  },
  base = {
    { "driver", "text", max = 31, doc = "entry of drivers, or a driver's name; sim unless said" },
    { "holonomic", "flag", doc = "it can move sideways" },
    { "speed", "plane", least = 0, doc = "greatest: x, y m/s, theta rad/s" },
    { "acceleration", "plane", least = 0, doc = "greatest: x, y m/s2, theta rad/s2" },
  },
  battery = {
    { "capacity", "number", unit = "J", least = 0, most = 2e9, doc = "of the full battery" },
    { "voltage", "number", unit = "V", least = 0, most = 2000, doc = "of the full battery" },
  },
  bus = {
    { "rate", "number", unit = "1/s", least = 1, most = 20000, doc = "messages a second that it carries; 1000 for drivers of buses unless said" },
    { "order", "word", words = { "none", "sequential", "updated", "synchronised", "predictive", "greatest", "optimal", "planned" },
      doc = "who is sent to next (paper 004); optimal unless said. With none, commands go straight to the drivers" },
    { "max_age", "number", unit = "s", least = 0, most = 1e6, doc = "longest that a joint may go without a message: less than the watchdogs of its controllers" },
    { "weights", "one weights", doc = "what counts how much when the next one is chosen" },
  },
  weights = {
    { "x", "number", least = 0, most = 1000, doc = "of a control frame's speed along the root's x; 1 unless said" },
    { "y", "number", least = 0, most = 1000, doc = "likewise" },
    { "z", "number", least = 0, most = 1000, doc = "likewise; more where it presses against something stiff" },
    { "roll", "number", unit = "m/rad", least = 0, most = 1000, doc = "about x: the lever by which a turn counts; 0.4 unless said" },
    { "pitch", "number", unit = "m/rad", least = 0, most = 1000, doc = "likewise, about y" },
    { "yaw", "number", unit = "m/rad", least = 0, most = 1000, doc = "likewise, about z" },
    { "joints", "number", unit = "m/rad", least = 0, most = 1000, doc = "of a revolute dof that no control frame moves; 0.4 unless said" },
  },
  link = {
    { "name", "text", max = 31, doc = "its name; that of its joint unless said" },
    { "mass", "number", unit = "kg", least = 0, most = 2e6, doc = "0: not known" },
    { "com", "place", unit = "m", doc = "centre of mass in the link's frame" },
    { "inertia", "tensor", unit = "kg*m2", doc = "about the centre of mass, along the link's axes" },
    { "position", "place", unit = "m", doc = "roots only: in the world" },
    { "attitude", "angles", unit = "rad", doc = "roots only: in the world" },
    { "shapes", "list shape", max = 160, doc = "what it looks like" },
  },
  shape = {
    { "type", "word", words = { "box", "cylinder", "sphere", "mesh" }, needed = true, doc = "cylinders lie along z" },
    { "size", "size", unit = "m", least = 0, most = 2e6, doc = "box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale" },
    position, attitude,
    { "colour", "colour", doc = "#rrggbb or #rrggbbaa" },
    { "file", "text", max = 127, doc = "of a mesh" },
    { "solid", "flag", doc = "for collisions and not for pictures" },
  },
  joint = {
    { "name", "text", max = 31, doc = "joint1, joint2, … unless said" },
    { "parent", "link", doc = "or \"world\"; the link before its child unless said" },
    { "child", "link", doc = "the link with the joint's number unless said" },
    { "driver", "text", max = 31, doc = "entry of drivers, or a driver's name; sim unless said" },
    { "servo", "words", words = SERVO, doc = "setpoint unless said" },
    { "leg", "whole", least = 0, most = 8, doc = "number of the leg it belongs to, which walking moves" },
    { "inboard", "place", unit = "m", doc = "the joint from the parent's centre of mass, along the parent's axes" },
    { "outboard", "place", unit = "m", doc = "the joint from the child's centre of mass, along the child's axes" },
    { "position", "place", unit = "m", doc = "instead of these two: the joint in the parent's frame; the child's frame begins there" },
    { "rest", "turn", unit = "rad", doc = "turns the joint's axes into the parent's when all dofs are 0" },
    { "dofs", "list dof", max = 6, doc = "1 to 6, in the order in which they act from the parent on" },
  },
  dof = {
    { "name", "text", max = 31, doc = "0, 1, … unless said" },
    { "type", "word", words = { "revolute", "prismatic" }, doc = "revolute unless said" },
    { "axis", "direction", doc = "in the joint's frame; z unless said" },
    { "limit", "range", unit = "dof", doc = "none unless said" },
    { "speed", "greatest", unit = "dof/s", doc = "greatest" },
    { "acceleration", "greatest", unit = "dof/s2", doc = "greatest" },
    { "force", "greatest", unit = "dof force", doc = "greatest" },
    { "home", "number", unit = "dof", doc = "where home puts it, and where it starts; 0 unless said" },
    { "mimic", "one mimic", doc = "it follows another dof and takes no commands" },
  },
  mimic = {
    { "joint", "text", max = 31, needed = true, doc = "name of the joint it follows" },
    { "dof", "text", max = 31, doc = "name of the dof there; the first unless said" },
    { "ratio", "number", doc = "1 unless said" },
    { "shift", "number", unit = "dof", doc = "ratio * the other + shift" },
  },
  frame = mounted(
    { "servo", "words", words = SERVO, doc = "setpoint unless said" },
    { "speed", "greatest", unit = "m/s", doc = "greatest" },
    { "turn", "greatest", unit = "rad/s", doc = "greatest" }),
  camera = mounted(
    { "width", "whole", least = 0, most = 65535, doc = "pixels" },
    { "height", "whole", least = 0, most = 65535, doc = "pixels" },
    { "fov", "number", unit = "rad", least = 0, most = 6.284, doc = "horizontal field of view" },
    { "rate", "number", unit = "1/s", least = 0, most = 1e6, doc = "pictures a second" }),
  sensor = mounted(
    { "type", "text", max = 31, needed = true, doc = "sonar, bumper, infrared, laser, accelerometer, …" },
    { "range", "range", doc = "least and greatest reading, in its unit" },
    { "opening", "number", unit = "rad", least = 0, most = 6.284, doc = "opening angle; 0: a ray" },
    { "unit", "text", max = 15, doc = "of its readings" }),
  widget = {
    { "name", "text", max = 31, needed = true, doc = "what is written beside it" },
    { "type", "word", words = { "slider", "knob", "number", "button", "pad", "label" }, needed = true, doc = "what it looks like" },
    { "command", "text", max = 31, doc = "the command it gives" },
    { "joint", "text", max = 31, doc = "name of the joint it is for" },
    { "dof", "text", max = 31, doc = "name of the dof it is for" },
    { "range", "range", doc = "least and greatest; those of the dof unless said" },
    { "step", "number", least = 0, most = 1e6, doc = "0: none" },
  },
  driver = {
    { "driver", "text", max = 31, doc = "the driver's name; that of the entry unless said" },
    { "script", "text", max = 255, doc = "of a driver in Lua" },
  },
}
