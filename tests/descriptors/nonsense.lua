-- Everything in this file is wrong; what is told is in tests/lua/descriptor_test.lua.
local function leg(number)
  return {
    name = "leg",
    mass = -number,
  }
end
local arm = {
  name = "arm", parent = 0, inboard = { 0, 0, 1 }, position = { 0, 0, 1 },
  rest = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } },
  dofs = {
    { name = "a", limit = { 1, 0 } },
    { name = "a", axis = { 0, 0, 0 }, limit = { 0, 1 }, home = 2 },
  },
}
return {
  name = "nonsense", modle = "misspelt", deadman = "soon",
  panic = { arm = { b = 0 } },
  links = {
    [0] = { name = "base", mass = 1, inertia = { 1, -1, 1 } },
    leg(1), leg(2),
    [3] = { name = "lost" },
    [4] = { name = "first" }, [5] = { name = "second", position = { 0, 0, 0 } },
  },
  joints = {
    arm,
    [2] = { name = "arm", parent = 7, child = 2, servo = "sped",
      dofs = { { type = "rotary", speed = -1, mimic = { joint = "nobody" } } } },
    [3] = { name = "round", parent = 5, child = 4, dofs = { {} } },
    [4] = { name = "and_round", parent = 4, child = 5, dofs = { {} } },
    [5] = { name = "second_parent", parent = 0, child = 4, dofs = { {} } },
  },
  frames = { { name = "f", link = "nobody" }, { link = 0, servo = "force" } },
  cameras = { { name = "eye", link = 0, fov = 7 } },
  widgets = { { name = "w", type = "lever", command = "fly" } },
  drivers = { camera = { port = {} } },
  base = { driver = "sim", speed = { x = "fast", z = 1 } },
  commands = { "jump" },
}
