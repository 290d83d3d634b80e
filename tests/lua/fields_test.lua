-- A field of a descriptor is one row: what people write, its record, and back.
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local fields = require "robotalk.descriptor.fields"

-- A value of each type, as people write it; fields that are left to others have none here.
local VALUES = {
  text = "a", greatest = 0.5, whole = 3, flag = true, colour = "#01020304",
  place = { 1.0, 2.0, 3.0 }, angles = { 0.1, 0.2, 0.3 }, plane = { x = 1.0, y = 2.0, theta = 3.0 },
  turn = { { 0.0, -1.0, 0.0 }, { 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0 } }, direction = { 1.0, 0.0, 0.0 },
  range = { -1.0, 2.0 }, tensor = { 1.0, 2.0, 3.0, 0.1, 0.2, 0.3 }, link = 1, size = { 1.0, 2.0, 3.0 },
}

local function value_of(field)
  if field[2] == "word" then return field.words[#field.words] end
  if field[2] == "number" then return (field.least or 0) + 0.25 end
  return VALUES[field[2]]
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, x in pairs(a) do if not same(x, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

-- Through check, record and back.
local function there_and_back(kind, written)
  local report = check.report()
  local good = check.fields(written, check.kinds[kind], kind, report)
  expect.equal(report[1] and report[1].message, nil)
  local record = fields.record(kind, good, {}, kind, { links = { [0] = {}, {} }, report = report })
  return fields.written(kind, record, {}), record
end

-- fn() while the kind has one more row.
local function with_row(kind, row, fn)
  table.insert(check.kinds[kind], row)
  local _ <close> = setmetatable({}, { __close = function() table.remove(check.kinds[kind]) end })
  fn()
end

describe("a field of a descriptor", function()
  it("comes back from its record as it was written, whatever its type", function()
    local seen = 0
    for kind, rows in pairs(check.kinds) do
      for _, field in ipairs(rows) do
        local value = value_of(field)
        if value ~= nil and not field.by_hand and field.record ~= false and kind ~= "driver" then
          local written = { [field[1]] = value }
          for _, other in ipairs(rows) do
            if other.needed then written[other[1]] = value_of(other) end
          end
          local back = there_and_back(kind, written)
          expect.truthy(same(back[field[1]], value), kind .. "." .. field[1])
          seen = seen + 1
        end
      end
    end
    expect.truthy(seen > 50, seen)
  end)

  it("goes without saying when it is what it would be anyway", function()
    expect.truthy(same(there_and_back("dof", {}), {}))
    local back, record = there_and_back("dof", { axis = { 0, 0, 1 }, type = "revolute", speed = 0 })
    expect.truthy(same(back, {}))
    expect.equal(record.low, 1.0)
    expect.equal(record.high, -1.0)
    back, record = there_and_back("robot", { name = "x" })
    expect.truthy(same(back, { name = "x" }))
    expect.equal(record.deadman, 0.5)
  end)

  it("takes one row and nothing else", function()
    with_row("dof", { "friction", "number", unit = "dof force", least = 0, default = 0.1, doc = "" }, function()
      local back, record = there_and_back("dof", { friction = 0.75 })
      expect.equal(record.friction, 0.75)
      expect.equal(back.friction, 0.75)
      back, record = there_and_back("dof", {})
      expect.equal(record.friction, 0.1)
      expect.equal(back.friction, nil)
      local _, message = descriptor.read([[return { name = "x", joints = { {
        dofs = { { friction = -1 } } } } }]], "x.lua")
      expect.equal(message, "x.lua:2: joints[1].dofs[1].friction: expected a number, 0 or more, got -1")
    end)
    local finish = { "matt", "shiny" }
    local all = { { "matt" }, { "shiny" } }
    with_row("shape", { "finish", "word", words = finish, all = all, record = "gloss" }, function()
      local back, record = there_and_back("shape", { type = "box", finish = "shiny" })
      expect.equal(record.gloss, 1)
      expect.equal(back.finish, "shiny")
    end)
  end)

  it("comes back from the configuration block of every robot that comes along", function()
    for _, name in ipairs(descriptor.names()) do
      local bytes = descriptor.configuration(descriptor.load(name))
      local again = descriptor.from_configuration(bytes)
      expect.truthy(descriptor.configuration(again) == bytes, name)
      local records = core.records(core.read_body(bytes))
      expect.truthy(same(require "robotalk.descriptor.user"(records), again), name)
    end
  end)
end)
