-- Units of the motion specification, and the integers that carry them. RoboTalk (III.C) sends every
-- physical quantity as an integer in network byte order and MKS units. The integer of each unit is defined here,
-- once. A value that does not fit is refused (ROBO_ERANGE), never wrapped or clipped. A 64-bit count uses
-- only 51 bits and the sign (2.25e9 m), all of which a double represents exactly.
--
-- wire: the integer on the wire; scale: value of one count in the SI unit.
return {
  m        = { wire = "i64", scale = 1e-6, doc = "metres, in micrometres" },
  rad      = { wire = "i64", scale = 1e-6, doc = "radians, in microradians" },
  ["m/s"]  = { wire = "i64", scale = 1e-6, doc = "metres a second, in micrometres a second" },
  ["rad/s"] = { wire = "i64", scale = 1e-6, doc = "radians a second, in microradians a second" },
  ["m/s2"] = { wire = "i64", scale = 1e-6, doc = "metres a second squared, in micrometres" },
  N        = { wire = "i64", scale = 1e-6, doc = "newtons, in micronewtons" },
  ["N*m"]  = { wire = "i64", scale = 1e-6, doc = "newton metres, in micronewton metres" },
  V        = { wire = "i32", scale = 1e-6, doc = "volts, in microvolts" },
  A        = { wire = "i32", scale = 1e-6, doc = "amperes, in microamperes" },
  K        = { wire = "i32", scale = 1e-6, doc = "kelvins, in microkelvins" },
  ratio    = { wire = "i32", scale = 1e-6, doc = "a share of one, in millionths" },
  -- a dof is prismatic or revolute: its numbers are in metres or in radians
  dof      = { wire = "i64", scale = 1e-6, doc = "metres or radians, in millionths" },
  ["dof/s"] = { wire = "i64", scale = 1e-6, doc = "metres or radians a second, in millionths" },
  ["dof force"] = { wire = "i64", scale = 1e-6, doc = "newtons or newton metres, in millionths" },
  ["dof/s2"] = { wire = "i64", scale = 1e-6, doc = "metres or radians a second squared, in millionths" },
  kg       = { wire = "i64", scale = 1e-6, doc = "kilograms, in milligrams" },
  ["kg*m2"] = { wire = "i64", scale = 1e-6, doc = "kilogram square metres, in millionths" },
  J        = { wire = "i64", scale = 1e-6, doc = "joules, in microjoules" },
  ["1/s"]  = { wire = "i64", scale = 1e-6, doc = "times a second, in millionths" },
  -- instants and spans stay integers on both sides
  s        = { wire = "time", scale = 1e-6, doc = "seconds, in microseconds (C holds nanoseconds)" },
}
