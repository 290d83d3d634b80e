-- A field of a table that nobody reads is a misspelt one: whatever takes a table raises, with the script's line, and
-- tells which was meant.
local rt = require "robotalk"
local golog = require "robotalk.golog"

-- Each must raise with this script's line and those words.
local function refused(cases)
  for words, fn in pairs(cases) do
    local ok, message = pcall(fn)
    expect.truthy(not ok, words .. ": it is taken")
    expect.truthy(message:find "^tests/lua/options_test.lua:%d+: ", message)
    expect.truthy(message:find(words, 1, true), ("expected %s, got %s"):format(words, message))
  end
end

describe("a misspelt option", function()
  it("of what opens something raises", function()
    local robot <close> = rt.connect "pioneer2"
    refused {
      ["connect has no option 'chanel'; did you mean 'channel'? It has apart, channel, deadman"] =
        function() rt.connect("pioneer2", { chanel = {} }) end,
      ["channel has no option 'latncy'; did you mean 'latency'?"] =
        function() rt.connect("pioneer2", { channel = { latncy = 1 } }) end,
      ["serve has no option 'listn'; did you mean 'listen'?"] = function() rt.serve { listn = {} } end,
      ["session has no option 'delai'; did you mean 'delay'?"] =
        function() robot:session { mode = "delay", delai = 3 } end,
      ["session has no option 'durration'; did you mean 'duration'?"] =
        function() robot:session { mode = "playback", durration = 3 } end,
      ["session has no option 'bpm'; it has at, deadman"] = function() robot:session { bpm = 120 } end,
      ["session has no option 'wiht'"] = function() robot:session { mode = "broadcast", wiht = 1 } end,
      ["connect: want a table of options, got number"] = function() rt.connect("pioneer2", 5) end,
      ["channel: want a table of options, got number"] = function() rt.connect("pioneer2", { channel = 5 }) end,
      ["session: want a table"] = function() robot:session(true) end,
    }
  end)

  it("of a command raises", function()
    local robot <close> = rt.connect "puma560"
    local wheels <close> = rt.connect "pioneer2"
    refused {
      ["go_to has no field 'tetha'; did you mean 'theta'? It has acceleration"] =
        function() wheels:go_to { tetha = 1 } end,
      ["set_speed has no field 'y2'"] = function() wheels:set_speed { y2 = 1 } end,
      ["home has no field 'sped'; did you mean 'speed'?"] = function() wheels:home { sped = 1 } end,
      ["step has no field 'lge'; did you mean 'leg'?"] = function() wheels:step { lge = 1 } end,
      ["pioneer2 has no joint 'haed'; did you mean 'head'? It has head, root"] =
        function() wheels:set_joint("haed", {}) end,
      ["pioneer2 has no joint 'bse'; did you mean 'base'?"] = function() wheels:stop { bse = true } end,
      ["pioneer2 has no joint 'onw'; did you mean 'own'?"] = function() wheels:stop { onw = true } end,
      ["pioneer2 has no joint 'gze'; did you mean 'gaze'?"] = function() wheels:move { gze = {} } end,
      ["head has no dof 'tlit'; did you mean 'tilt'? It has pan, tilt"] =
        function() wheels:set_joint("head", { tlit = 1 }) end,
      ["head has no dof 'sped'; did you mean 'speed'? It has pan, tilt"] =
        function() wheels:set_joint("head", { pan = 1, sped = 1 }) end,
      ["puma560 has no control frame 'hadn'; did you mean 'hand'?"] =
        function() robot:set_frame("hadn", { position = { 1, 2, 3 } }) end,
      ["set_frame has no field 'positon'; did you mean 'position'?"] =
        function() robot:set_frame("hand", { positon = { 1, 2, 3 } }) end,
      ["set_frame has no field 'straigt'; did you mean 'straight'?"] =
        function() robot:set_frame("hand", { position = { 1, 2, 3 }, straigt = true }) end,
      ["set_frame_speed has no field 'strat'; did you mean 'start'?"] =
        function() robot:set_frame_speed("hand", { strat = 1 }) end,
      ["set_speed has no field 'sped'"] = function() wheels:move { base = { speed = { sped = 1 } } } end,
      ["state has no option 'forcs'; did you mean 'forces'?"] = function() wheels:state { forcs = true } end,
      ["broadcast has no option 'frame'; did you mean 'frames'?"] =
        function() wheels:broadcast(0.1, print, { frame = true }) end,
    }
  end)

  it("of a wait is no text: its seconds are a number", function()
    local robot <close> = rt.connect "pioneer2"
    local tape <close> = robot:session { mode = "delay" }
    refused {
      ["result: timeout: want seconds, got string"] = function() robot:result(1, "2") end,
      ["result: timeout: want seconds, got NaN"] = function() robot:begin("home"):wait(0 / 0) end,
      ["finish: timeout: want seconds, got table"] = function() tape:finish {} end,
    }
  end)

  it("of a program has the value that it wants", function()
    local robot <close> = rt.connect "pioneer2"
    local d = golog.domain()
    local nothing = golog.nothing
    local plan = assert(d:plan(nothing))
    refused {
      ["plan: depth: want a number of 0 or more, got string"] = function() d:plan(nothing, { depth = "deep" }) end,
      ["plan: nodes: want a number of 0 or more, got NaN"] = function() d:plan(nothing, { nodes = 0 / 0 }) end,
      ["plan: deepen: want true or false, got 3"] = function() d:plan(nothing, { deepen = 3 }) end,
      ["search: branches: want true or false, got string"] = function() golog.search(nothing, { branches = "" }) end,
      ["explain: lines: want a whole number of 1 or more, got 0"] = function() d:explain(nothing, { lines = 0 }) end,
      ["run: poll: want seconds, more than 0, got 0"] = function() d:run(nothing, { poll = 0 }) end,
      ["run: patience: want seconds, 0 or more, got -1"] = function() d:run(nothing, { patience = -1 }) end,
      ["run: log: want a whole number of 1 or more, got 0.5"] = function() d:run(nothing, { log = 0.5 }) end,
      ["run: robot: want a robot, got string"] = function() d:run(nothing, { robot = "pioneer2" }) end,
      ["play: want a robot, got string"] = function() plan:play "pioneer2" end,
      ["play: want a table of options, got number"] = function() plan:play(robot, 3) end,
      ["play: spacing: want seconds, 0 or more, got string"] = function() plan:play(robot, { spacing = "a" }) end,
    }
    expect.truthy(d:plan(nothing, { depth = 1e3, nodes = math.huge }))
  end)

  it("of everything else raises", function()
    local robot <close> = rt.connect "puma560"
    local d = golog.domain()
    local model, goal = robot.model, { position = { 0.5, 0.2, 0.6 } }
    refused {
      ["ik has no option 'atempts'; did you mean 'attempts'?"] =
        function() model:ik("hand", goal, nil, { atempts = 3 }) end,
      ["ik: goal has no option 'atitude'; did you mean 'attitude'?"] =
        function() model:ik("hand", { position = { 0.5, 0.2, 0.6 }, atitude = { 0, 0, 0 } }) end,
      ["ordering has no option 'joint'; did you mean 'joints'?"] = function() rt.ordering.open { joint = 3 } end,
      ["plan has no option 'dpeth'; did you mean 'depth'?"] = function() d:plan(golog.nothing, { dpeth = 3 }) end,
      ["explain has no option 'line'; did you mean 'lines'?"] =
        function() d:explain(golog.nothing, { line = 3 }) end,
      ["run has no option 'robto'; did you mean 'robot'?"] = function() d:run(golog.nothing, { robto = robot }) end,
      ["search has no option 'node'; did you mean 'nodes'?"] =
        function() golog.search(golog.nothing, { node = 3 }) end,
      ["action go has no field 'efect'; did you mean 'effect'?"] =
        function() d:action("go", { efect = print }) end,
      ["field has no option 'bals'; did you mean 'balls'?"] =
        function() require "robotalk.field".open { bals = {} } end,
      ["field: ball 1 has no option 'colour'; did you mean 'color'?"] =
        function() require "robotalk.field".open { balls = { { colour = "pink" } } } end,
      ["aibo has no option 'feild'; did you mean 'field'?"] =
        function() require "robotalk.aibo".new(robot, { feild = 1 }) end,
      ["connect has no option 'pakced'; did you mean 'packed'?"] =
        function() require "robotalk.gti".connect("gti://localhost", { pakced = true }) end,
    }
  end)

  it("is a mode's own where that is the user's", function()
    local path = os.tmpname()
    local name = path:gsub("[^%w_]", "_") .. "_late.lua"
    local folder = path:match "^(.*)/"
    local file = assert(io.open(folder .. "/" .. name, "w"))
    file:write [[return { name = "late", open = function(request)
      return request.options.bpm == "120" and { shift = 0 } or nil, "bpm?" end, buffered = true }]]
    file:close()
    local mode = assert(rt.add_mode(folder .. "/" .. name))
    os.remove(folder .. "/" .. name)
    os.remove(path)
    local robot <close> = rt.connect "pioneer2"
    local session <close> = assert(robot:session { mode = mode, bpm = 120 })
    expect.equal(mode, session.mode)
    expect.equal("EMODE", select(3, robot:session { mode = mode, bmp = 120 }))
  end)
end)
