-- spec/api.lua says what there is, and only that.
local core = require "robotalk.core"
local api = load(core.script "spec/api.lua")()

local function class(name)
  for _, c in ipairs(api.classes) do
    if c.name:match("[%w.]+") == name then return c end
  end
end

local function compare(name, there, hidden)
  local said = {}
  for _, fn in ipairs(class(name).functions) do
    said[fn[1]] = true
    expect.truthy(type(there[fn[1]]) == "function", ("%s.%s is said to be there and is not"):format(name, fn[1]))
  end
  for key, value in pairs(there) do
    if type(value) == "function" and not tostring(key):find("^__") and not hidden[key] then
      expect.truthy(said[key], ("%s.%s is there and is not said to be"):format(name, key))
    end
  end
end

describe("spec/api.lua", function()
  it("is what the module has", function() compare("robotalk", require "robotalk", {}) end)
  it("is what sessions and robots have", function()
    compare("robotalk.Session", require "robotalk.session".Session, {})
    compare("robotalk.Robot", require "robotalk.robot".Robot, {})
  end)
  it("is what models have", function()
    local model = require "robotalk.descriptor".model { name = "x" }
    compare("robotalk.Model", getmetatable(model).__index, {})
  end)
  it("is what Golog has", function()
    local golog = require "robotalk.golog"
    local domain = golog.domain()
    compare("robotalk.golog", golog, {})
    compare("robotalk.golog.Domain", getmetatable(domain), {})
    compare("robotalk.golog.Plan", getmetatable(domain:plan(golog.nothing)), {})
  end)
  it("is what the actions of an AIBO and its field are", function()
    local field <close> = require "robotalk.arena".open {}
    compare("robotalk.Aibo", getmetatable(require "robotalk.aibo".new {}), {})
    compare("robotalk.Field", getmetatable(field), {})
  end)
  it("is what tasks have", function()
    local t = require "robotalk".spawn(function() end)
    compare("robotalk.Task", getmetatable(t), {})
    t:wait()
  end)
end)
