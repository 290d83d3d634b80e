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

-- What is always there, and of which type.
local KIND = { number = "number", integer = "number", string = "string", boolean = "boolean", ["number[]"] = "table" }

describe("spec/api.lua", function()
  it("is what the module has", function() compare("robotalk", require "robotalk", {}) end)
  it("is what sessions and robots have", function()
    compare("robotalk.Session", require "robotalk.session".Session, {})
    compare("robotalk.Robot", require "robotalk.robot".Robot, {})
  end)
  it("names all notices that a robot's on_notice hears of", function()
    local doc
    for _, fn in ipairs(class("robotalk.Robot").functions) do doc = fn[1] == "on_notice" and fn.doc or doc end
    for _, notice in ipairs(dofile("spec/messages.lua").notices) do
      expect.truthy(doc:find("%f[%w]" .. notice[1] .. "%f[%W]"), notice[1])
    end
  end)
  it("is what the codec and the ordering decision have", function()
    local rt = require "robotalk"
    compare("robotalk.wire", rt.wire, {})
    compare("robotalk.ordering", rt.ordering, {})
    compare("robotalk.ordering.Schedule", getmetatable(rt.ordering.open { joints = 2 }).__index, {})
  end)
  it("is what models have", function()
    local model = require "robotalk.descriptor".model { name = "x" }
    compare("robotalk.Model", getmetatable(model).__index, {})
  end)
  it("is what views of a world have", function()
    compare("robotalk.View", require "robotalk.pictures.views".View, {})
  end)
  it("is what the scripts of a server have", function()
    compare("robotalk.Scripts", getmetatable(require "robotalk".scripts()), {})
  end)
  it("is what Golog has", function()
    local golog = require "robotalk.golog"
    local domain = golog.domain()
    compare("robotalk.golog", golog, {})
    compare("robotalk.golog.Domain", getmetatable(domain), {})
    compare("robotalk.golog.Plan", getmetatable(domain:plan(golog.nothing)), {})
  end)
  it("is what behaviour trees have", function()
    local tree = require "robotalk.tree"
    compare("robotalk.tree", tree, {})
    compare("robotalk.tree.Node", getmetatable(tree.action { print }), {})
  end)
  it("is what pictures that are sent and kept have", function()
    compare("robotalk.images", require "robotalk.images", {})
    compare("robotalk.images.Folder", require "robotalk.pictures.image_folder".Folder, {})
  end)
  it("is what recordings have", function()
    local dataset = require "robotalk.dataset"
    compare("robotalk.dataset", dataset, {})
    compare("robotalk.dataset.Set", dataset.Set, {})
    compare("robotalk.dataset.Reader", require "robotalk.dataset.reader".Reader, {})
    local mcap = require "robotalk.mcap"
    compare("robotalk.mcap", mcap, {})
    compare("robotalk.mcap.Writer", mcap.Writer, {})
    compare("robotalk.mcap.Recording", mcap.Recording, {})
    compare("robotalk.Recorder", require "robotalk.recorder".Recorder, {})
  end)
  it("is what bridges have", function()
    local bridge = require "robotalk.bridge"
    compare("robotalk.bridge", bridge, {})
    compare("robotalk.Bridge", bridge.Bridge, {})
    compare("robotalk.BridgeMessage", getmetatable(require "robotalk.bridge.message" "X"), {})
  end)
  it("is what translators have", function()
    local translator = require "robotalk.translator"
    compare("robotalk.translator", translator, {})
    compare("robotalk.Translator", getmetatable(translator.open "identity"), {})
    compare("robotalk.Link", require "robotalk.translator.link".Link, {})
  end)
  it("is what the actions of an AIBO and its field are", function()
    local field <close> = require "robotalk.field".open {}
    compare("robotalk.Aibo", getmetatable(require "robotalk.aibo".new {}), {})
    compare("robotalk.Field", getmetatable(field), {})
  end)
  it("is what states and results have", function()
    local robot <close> = require "robotalk".connect "puma560"
    local function has(name, there)
      local said = {}
      for _, field in ipairs(class(name).fields) do
        said[field[1]] = true
        local kind = KIND[field[2]]
        if kind then expect.equal(kind, type(there[field[1]]), name .. "." .. field[1]) end
      end
      for key in pairs(there) do
        expect.truthy(said[key], ("%s.%s is there and is not said to be"):format(name, key))
      end
    end
    has("robotalk.State", robot:state())
    local _, _, result = robot:set_frame("hand", { position = { 2, 0, 0.3 }, attitude = false })
    has("robotalk.Result", result)
  end)
  it("is what options there are", function()
    local rt = require "robotalk"
    local robot <close> = rt.connect "pioneer2"
    local function has(name, try)
      local ok, message = pcall(try, { zzzzzz = 1 })
      expect.truthy(not ok)
      local there = {}
      for option in tostring(message):match("it has ([%w_, ]+)"):gmatch "[%w_]+" do there[option] = true end
      for _, field in ipairs(class(name).fields) do
        expect.truthy(there[field[1]], ("%s.%s is said to be there and is not"):format(name, field[1]))
        there[field[1]] = nil
      end
      expect.equal(nil, (next(there)), name)
    end
    has("robotalk.ConnectOptions", function(options) rt.try_connect("pioneer2", options) end)
    has("robotalk.Channel", function(options) rt.try_connect("pioneer2", { channel = options }) end)
    has("robotalk.ServeOptions", rt.serve)
    has("robotalk.ScriptOptions", rt.add_script)
    has("robotalk.RecordOptions", function(options) robot:record("x.mcap", options) end)
    has("robotalk.SessionOptions", function(options) robot:session(options) end)
  end)
  it("is what a sequence's report has", function()
    local robot <close> = require "robotalk".connect "pioneer2"
    local tape <close> = robot:session { mode = "playback" }
    tape:frame(0, { head = { pan = 0.1 } })
    local report, said = tape:finish(), {}
    for _, field in ipairs(class "robotalk.Report".fields) do said[field[1]] = true end
    for key in pairs(report) do expect.truthy(said[key], "report." .. key) end
    for key in pairs(said) do expect.truthy(report[key] ~= nil, "report." .. key) end
  end)
  it("is what tasks have", function()
    local t = require "robotalk".spawn(function() end)
    compare("robotalk.Task", getmetatable(t), {})
    t:wait()
  end)
  it("has names of before, for the scripts that use them", function()
    local rt = require "robotalk"
    expect.truthy(rt.robot == rt.add_robot and rt.mode == rt.add_mode and rt.self == rt.current)
    expect.truthy(require "robotalk.arena" == require "robotalk.field")
    expect.truthy(require "robotalk.tekkotsu.player" == require "robotalk.tekkotsu.play")
  end)
end)
