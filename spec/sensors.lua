-- What a robot senses: the kinds of sensors, one a row. A descriptor's sensor is of one of them by its `type`
-- (spec/descriptor.lua); any other type is one's own, whose values the sensor names itself. gen.lua makes the C table
-- core/body/senses.gen.c and docs/sensors.md's list of it; scripts/robotalk/readings.lua names values by it.
--
-- A kind: { name, number, doc = , rate = , range = , values = { { name, unit = , count = , doc = } }, many = , of = }
--   number  its number in C: ROBO_SENSE_…
--   rate    readings a second, unless the sensor says so; the simulators sample at that
--   range   least and greatest value, unless the sensor says so; of values in the unit of the first
--   values  what a reading tells, in that order; count numbers in a row, each with a name of its own in `each`. unit: as in spec/units.lua, V, A, K, or none.
--           flag = true: 0 or 1, in Lua false or true. words: a number from 1 on, in Lua one of these
--   many    there may be as many of its one value as the sensor's `count` says, and in Lua that list has this name
--   of      what the value's own name is then: the "least" of them, or whether "any" is 1
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
      values = range "distance of what is nearest in its cone; the greatest of its range when there is nothing" },
    { "infrared", 2, doc = "ranges by light, of one spot each", rate = 25, range = { 0.05, 0.8 }, many = "ranges", of = "least",
      values = range "distance along its axis; the greatest of its range when there is nothing" },
    { "laser", 3, doc = "a scan of ranges in its plane x, y, from right to left", rate = 10, range = { 0, 8 }, many = "ranges", of = "least",
      values = range "distance along each beam; the greatest of its range when there is nothing" },
    { "bumper", 4, doc = "a part of the hull that feels touch", rate = 50, many = "switches", of = "any", values = pressed },
    { "button", 5, doc = "a button that a hand presses", rate = 25, many = "switches", of = "any", values = pressed },
    { "contact", 6, doc = "a part that feels the ground or what it holds", rate = 50, many = "switches", of = "any", values = pressed },
    { "accelerometer", 7, doc = "the acceleration of its place", rate = 100, values = { acceleration } },
    { "gyroscope", 8, doc = "how fast it turns", rate = 100, values = { spin } },
    { "imu", 9, doc = "an inertial measurement unit", rate = 100, values = { acceleration, spin, attitude } },
    { "compass", 10, doc = "where its x axis points", rate = 10,
      values = { { "heading", unit = "rad", doc = "of its x axis on the floor, counter-clockwise from the world's x" } } },
    { "force", 11, doc = "force and torque between its link and what that is fixed to", rate = 100,
      values = { xyz("force", "N", "along its axes x, y, z"), xyz("torque", "N*m", "about its axes x, y, z") } },
    { "gps", 12, doc = "where it is, as far as a receiver knows", rate = 5, values = { position } },
    { "pose", 13, doc = "where it is, in truth", rate = 50, values = { position, attitude } },
    { "encoder", 14, doc = "positions of the dofs of the joint that moves its link", rate = 50, many = "positions", of = "first",
      values = { { "position", unit = "dof", doc = "of each dof" } } },
    { "odometry", 15, doc = "where the base believes to be, by its wheels or legs", rate = 50,
      values = { { "x", unit = "m", doc = "from where it began" }, { "y", unit = "m", doc = "likewise" },
        { "theta", unit = "rad", doc = "heading; it does not wrap" } } },
    { "battery", 16, doc = "what drives it all", rate = 1,
      values = { { "charge", unit = "ratio", doc = "0 to 1" }, { "voltage", unit = "V", doc = "of its poles" },
        { "current", unit = "A", doc = "drawn from it" } } },
    { "temperature", 17, doc = "of its place", rate = 1, values = { { "temperature", unit = "K", doc = "absolute" } } },
    { "gripper", 18, doc = "a gripper, which the joint of its link opens; its range is how wide, m", rate = 10,
      values = { { "state", words = { "open", "closed", "moving", "error", "stopped" }, doc = "stopped: at rest between its ends" },
        { "opening", unit = "ratio", doc = "0 closed to 1 open" }, { "width", unit = "m", doc = "between its fingers" },
        { "outer", flag = true, doc = "whether something breaks its outer beam" },
        { "inner", flag = true, doc = "likewise of the inner one" },
        { "holding", flag = true, doc = "at rest, not open, and something breaks a beam" } } },
    { "beam", 19, doc = "a light across a gap, along its x axis; 0 to 0.2 m unless it says so", rate = 25, range = { 0, 0.2 }, many = "beams",
      of = "any", values = { { "broken", flag = true, doc = "whether something stands in it" } } },
    { "torque", 20, doc = "with what the joint that moves its link turns or pulls it", rate = 100, many = "torques", of = "first",
      values = { { "torque", unit = "dof force", doc = "of each dof: N m, or N where it slides" } } },
    { "upright", 21, doc = "tells a fall", rate = 25,
      values = { { "upright", flag = true, doc = "whether its z axis leans by less than 60 degrees" } } },
  },
  most = 2048,            -- values of one sensor
  own = { rate = 10 },    -- a type of one's own: its values are what the sensor says, or one, called `value`
  reserved = { "name", "type", "number", "time", "age", "unit", "dropped" }, -- what a reading has beside its values
}
