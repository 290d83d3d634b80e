-- The kinds of sensors, one a row. The `type` of a descriptor's sensor selects one of them (spec/descriptor.lua); any
-- other type is a custom one, whose values the sensor names itself. gen.lua makes from them the C table
-- senses.gen.c and the list in docs/sensors.md; scripts/robotalk/session/readings.lua names values by them.
--
-- A kind: { name, number, doc = , rate = , range = , values = { { name, unit = , count = , doc = } }, many = , of = }
--   number  its number in C: ROBO_SENSE_…
--   rate    default readings a second; the simulators sample at this rate
--   range   default least and greatest value; for the values in the unit of the first
--   values  the values of a reading, in their order; count: numbers in a row, each with its own name in `each`. unit: as in
--           spec/units.lua, V, A, K, or none. flag = true: 0 or 1, in Lua false or true. words: a number from 1 on, in Lua
--           one of these
--   many    a reading has as many of its one value as the sensor's `count`, and in Lua that list has this name
--   of      meaning of the value's own name then: the "least" of them, or whether "any" is 1
local function xyz(name, unit, doc) return { name, unit = unit, count = 3, each = { "x", "y", "z" }, doc = doc } end

local acceleration = xyz("acceleration", "m/s2", "specific force along its axes x, y, z: at rest 9.81 upwards")
local spin = xyz("spin", "rad/s", "angular velocity about its axes x, y, z")
local attitude = xyz("attitude", "rad", "in the world: roll, pitch, yaw about the fixed axes x, y, z")
attitude.each = { "roll", "pitch", "yaw" }
local position = xyz("position", "m", "in the world: x, y, z")
local function range(doc) return { { "range", unit = "m", doc = doc } } end
local pressed = { { "pressed", flag = true, doc = "whether something presses it" } }

return {
  kinds = {
    { "sonar", 1, doc = "ranges by sound", rate = 10, range = { 0, 5 }, many = "ranges", of = "least",
      values = range "distance of the nearest thing in its cone; the greatest value of its range if there is none" },
    { "infrared", 2, doc = "ranges by light, each of one spot", rate = 25, range = { 0.05, 0.8 }, many = "ranges", of = "least",
      values = range "distance along its axis; the greatest value of its range if there is nothing" },
    { "laser", 3, doc = "a scan of ranges in its plane x, y, from right to left", rate = 10, range = { 0, 8 }, many = "ranges", of = "least",
      values = range "distance along each beam; the greatest value of its range if there is nothing" },
    { "bumper", 4, doc = "a part of the hull that feels touch", rate = 50, many = "switches", of = "any", values = pressed },
    { "button", 5, doc = "a button that a hand presses", rate = 25, many = "switches", of = "any", values = pressed },
    { "contact", 6, doc = "a part that feels contact with the ground or a held object", rate = 50, many = "switches", of = "any", values = pressed },
    { "accelerometer", 7, doc = "the acceleration at its position", rate = 100, values = { acceleration } },
    { "gyroscope", 8, doc = "its angular velocity", rate = 100, values = { spin } },
    { "imu", 9, doc = "an inertial measurement unit", rate = 100, values = { acceleration, spin, attitude } },
    { "compass", 10, doc = "the heading of its x axis", rate = 10,
      values = { { "heading", unit = "rad", doc = "of its x axis on the floor, counter-clockwise from the world's x" } } },
    { "force", 11, doc = "force and torque between its link and the parent of that link", rate = 100,
      values = { xyz("force", "N", "along its axes x, y, z"), xyz("torque", "N*m", "about its axes x, y, z") } },
    { "gps", 12, doc = "its position, as a receiver measures it", rate = 5, values = { position } },
    { "pose", 13, doc = "its true pose", rate = 50, values = { position, attitude } },
    { "encoder", 14, doc = "positions of the dofs of the joint that moves its link", rate = 50, many = "positions", of = "first",
      values = { { "position", unit = "dof", doc = "of each dof" } } },
    { "odometry", 15, doc = "the estimated position of the base, from its wheels or legs", rate = 50,
      values = { { "x", unit = "m", doc = "from its start" }, { "y", unit = "m", doc = "from its start" },
        { "theta", unit = "rad", doc = "heading; it does not wrap" } } },
    { "battery", 16, doc = "the robot's battery", rate = 1,
      values = { { "charge", unit = "ratio", doc = "0 to 1" }, { "voltage", unit = "V", doc = "at its terminals" },
        { "current", unit = "A", doc = "drawn from it" } } },
    { "temperature", 17, doc = "the temperature at its position", rate = 1, values = { { "temperature", unit = "K", doc = "absolute" } } },
    { "gripper", 18, doc = "a gripper that the joint of its link opens; its range is the width, m", rate = 10,
      values = { { "state", words = { "open", "closed", "moving", "error", "stopped" }, doc = "stopped: at rest between its ends" },
        { "opening", unit = "ratio", doc = "0 closed to 1 open" }, { "width", unit = "m", doc = "between its fingers" },
        { "outer", flag = true, doc = "whether something breaks its outer beam" },
        { "inner", flag = true, doc = "whether something breaks its inner beam" },
        { "holding", flag = true, doc = "at rest, not open, and something breaks a beam" } } },
    { "beam", 19, doc = "a light barrier across a gap, along its x axis; default: 0 to 0.2 m", rate = 25, range = { 0, 0.2 }, many = "beams",
      of = "any", values = { { "broken", flag = true, doc = "whether something breaks it" } } },
    { "torque", 20, doc = "the torque or force of the joint that moves its link", rate = 100, many = "torques", of = "first",
      values = { { "torque", unit = "dof force", doc = "of each dof: N m, or N if it slides" } } },
    { "upright", 21, doc = "detects a fall", rate = 25,
      values = { { "upright", flag = true, doc = "whether its z axis leans by less than 60 degrees" } } },
  },
  most = 2048,            -- values of one sensor
  own = { rate = 10 },    -- a custom type: its values are those that the sensor names, or one, called `value`
  reserved = { "name", "type", "number", "time", "age", "unit", "dropped" }, -- the other fields of a reading
}
