-- luacheck: no max line length
-- Tekkotsu's motion sequences and postures: the grammar, what is wrong by file and line, values at any time, writing,
-- playing on the simulated AIBO and on other bodies, recording.
local rt = require "robotalk"
local motion = require "robotalk.tekkotsu.motion"
local names = require "robotalk.tekkotsu.names"
local player = require "robotalk.tekkotsu.play"
local near = require "tests.lua.near"

-- What there is to tell of a text: "line level message" each.
local function told(text, options)
  local _, report = motion.read("#MSq\n" .. text .. "\n#END\n", "x.mot", options)
  local list = {}
  for i, one in ipairs(report) do list[i] = ("%s:%d: %s: %s"):format(one.file, one.line, one.level, one.message) end
  return table.concat(list, "\n")
end

describe("a motion sequence", function()
  it("is read as Tekkotsu reads it", function()
    local m, report = motion.read("#MSq\r\n# a comment\r\ndegrees\r\nsetTime 0x64\r\nNECK:pan~ 90 0.5 more\r\rADVANCETIME 010\n"
      .. "\tradians\nNECK:tilt\t-0.25\nFr:knee 1\nKNEE:none 1\ndelay 100\nlfr:rotor 1\n#END\nNECK:pan 7\n", "a.mot")
    expect.equal(#report, 2) -- outputs are matched with case
    expect.equal(report[1].message, "ERS7 has no output KNEE:none: the line is left out")
    expect.equal(report[2].message, "ERS7 has no output lfr:rotor: the line is left out")
    expect.equal(report.errors, nil)
    local v, w = m:at("NECK:pan", 0.1)
    near(v, math.pi / 2)
    near(w, 0.5)
    near(m.keys["NECK:tilt"][1].time, 0.108) -- octal: 010 is 8 ms
    near(m.keys["LFr:knee"][1].value, 1) -- both sides of a pair
    near(m.keys["RFr:knee"][1].value, 1)
    expect.equal(m.keys["NECK:pan"][2], nil) -- after the end
    near(m.seconds, 0.108)
  end)
  it("finds names from the last hit on, round to it again", function()
    local m = motion.read("#MSq\nLBk 1\nL 2\nLFr:k 3\nNECK 4\n#END\n", "a.mot")
    near(m.keys["LBk:rotor"][1].value, 2) -- L: from LBk:rotor on, and that is one
    near(m.keys["LFr:knee"][1].value, 3)
    near(m.keys["NECK:tilt"][1].value, 4)
    expect.equal(m.keys["LFr:rotor"], nil)
  end)
  it("tells what is wrong by file and line", function()
    expect.equal(told "NECK:pan", "x.mot:2: error: expected a command, or an output and its value, got NECK:pan alone")
    expect.equal(told "NECK:pan fast",
      "x.mot:2: error: expected a command, or an output and its value, got NECK:pan fast")
    expect.equal(told "\nNECK:pan 1 x", "x.mot:3: error: expected a number for the weight, got x")
    expect.equal(told "delay", "x.mot:2: error: expected milliseconds, a whole number, got nothing")
    expect.equal(told "delay 1.5", "x.mot:2: error: expected milliseconds, a whole number, got 1.5")
    expect.equal(told "setTime -1", "x.mot:2: error: expected milliseconds, a whole number, got -1")
    expect.equal(told "delay 99999999999", "x.mot:2: error: expected milliseconds, a whole number, got 99999999999")
    expect.equal(told "delay 86400000\ndelay 1", "x.mot:3: error: expected at most a day, this is later")
    expect.equal(told "NECK:pan nan\nNECK:pan inf\nNECK:pan 0x10", (told "NECK:pan nan") .. "\n"
      .. "x.mot:3: error: expected a command, or an output and its value, got NECK:pan inf\n"
      .. "x.mot:4: error: expected a command, or an output and its value, got NECK:pan 0x10")
    expect.equal(told "load", "x.mot:2: error: expected the name of a file")
    expect.equal(told "load no_such.mot",
      "x.mot:2: error: cannot read no_such.mot: no_such.mot: No such file or directory")
    expect.equal(select(2, motion.read("", "x.mot"))[1].message, "expected #MSq, a motion sequence, got nothing")
    expect.equal(select(2, motion.read("#VRML", "x.mot"))[1].message, "expected #MSq, a motion sequence, got #VRML")
    local report = select(2, motion.read("#MSq\nNECK:pan 1", "x.mot"))
    expect.equal(report[1].level .. report[1].message, "warningexpected #END at the end")
    local ok, message, code = motion.load "tests/mot/no_such.mot"
    expect.equal(ok, nil)
    expect.truthy(message:find "No such file" and code == "ENONE")
  end)
  it("loads other files, within bounds", function()
    local files = { ["a.mot"] = "#MSq\nNECK:pan 1\ndelay 500\nNECK:pan 2\n#END",
      ["b.pos"] = "#POS\nMOUTH -0.5\nTAIL:pan 1 0\n#END",
      ["self.mot"] = "#MSq\nload self.mot\n#END" }
    local function open(name) return files[name], "not here" end
    local m, report = motion.read("#MSq\ndelay 100\noverlay a.mot\nload b.pos\nloadExplicit b.pos\nloadExplicit a.mot\n#END", "x.mot",
      { open = open })
    expect.equal(#report, 1)
    expect.equal(report[1].message, "expected a posture (#POS) in a.mot")
    near(m.keys["NECK:pan"][2].time, 0.6)
    near(m.keys.MOUTH[1].time, 0.6) -- the playhead has moved to the other's end
    near(m.keys["TAIL:pan"][1].weight, 0) -- explicit ones set what has no weight, too
    local _, deep = motion.read(files["self.mot"], "self.mot", { open = open })
    expect.equal(deep[1].message, "expected at most 8 files within one another")
    local wide = { open = function() return "#MSq\n" .. ("load x.mot\n"):rep(1000) .. "#END" end }
    local _, report2 = motion.read("#MSq\nload x.mot\n#END", "x.mot", wide)
    expect.truthy(#report2 <= 200 and report2.errors > 0) -- and it comes to an end
  end)
  it("is between its key frames, and fades in from where the robot is", function()
    local m = motion.new()
    m:set("NECK:pan", 1, 0.8)
    m:set("NECK:pan", 3, 0.2, 0.5)
    m:set("NECK:pan", 3, 0.4) -- the later one at the same time
    -- at 0.25 of the way to the first: a quarter of the value's way, a quarter of its weight
    local v, w = m:at("NECK:pan", 0.25, 0.4)
    near(v, 0.4 + 0.25 * 0.4)
    near(w, 0.25)
    v, w = m:at("NECK:pan", 2, 0.4)
    near(v, 0.6)
    near(w, 1)
    v, w = m:at("NECK:pan", 9, 0.4)
    near(v, 0.4)
    near(w, 1)
    near(select(2, m:at("NECK:pan", 9, 0.4, false)), 0)
    v, w = m:at("MOUTH", 1, -0.3)
    near(v, -0.3)
    near(w, 0)
  end)
  it("is written and read again as it was", function()
    local m = assert(motion.load "tests/mot/nod.mot")
    local again, report = motion.read(m:write(), "again.mot")
    expect.equal(#report, 0)
    expect.equal(again:write(), m:write())
    near(again.seconds, 1.6)
    near(#again.keys["NECK:nod"], 4)
    local p = assert(motion.load "tests/mot/look.pos")
    expect.equal(p:write(), "#MSq\nradians\nsetTime 0\nNECK:pan 0.3\nNECK:nod 0.1 0.5\n#END\n")
  end)
  it("reads condensed postures", function()
    local values = {}
    for i = 1, 47 do values[i] = i / 100 end
    local m, report = motion.read("#POS\ncondensed ERS-7\nmeta-info = 12 34\noutputs = " .. table.concat(values, " ")
      .. "\nbuttons = 0 0\nweights = " .. ("1 "):rep(17) .. "0 0.5\n#END\n", "c.pos")
    expect.equal(#report, 0)
    near(m.keys["LFr:rotor"][1].value, 0.01)
    near(m.keys["TAIL:pan"][1].value, 0.17)
    expect.equal(m.keys.MOUTH, nil) -- no weight
    near(m.keys["LED:headC"][1].weight, 0.5)
    local _, wrong = motion.read("#POS\ncondensed ERS-7\nweights = 1\noutputs = 1 x\n#END\n", "c.pos")
    expect.equal(wrong[1].message, "expected outputs before their weights")
    expect.equal(wrong[2].message, "expected numbers for outputs, got x")
  end)
  it("survives anything", function()
    local seed = 7
    local function random(n)
      seed = seed * 48271 % 2147483647
      return seed % n + 1
    end
    local texts = {}
    for i, path in ipairs { "tests/mot/nod.mot", "tests/mot/look.pos" } do
      local f <close> = assert(io.open(path, "rb"))
      texts[i] = f:read "a"
    end
    for _ = 1, 2000 do
      local t = texts[random(2)]
      for _ = 1, random(4) do
        local at = random(#t)
        local what = random(4)
        if what == 1 then t = t:sub(1, at - 1) .. string.char(random(256) - 1) .. t:sub(at + 1)
        elseif what == 2 then t = t:sub(1, at)
        elseif what == 3 then t = t:sub(1, at) .. t:sub(random(#t)) else t = t:sub(1, at - 1) .. t:sub(at + 1) end
        if #t == 0 then t = "#" end
      end
      local m, report = motion.read(t, "fuzz")
      for _, one in ipairs(report) do expect.truthy(one.file and one.line and one.message) end
      local again = motion.read(m:write(), "again")
      expect.equal(again:write(), m:write())
    end
  end)
end)

describe("names of an AIBO", function()
  it("are in Tekkotsu's order, and lie in the body", function()
    local outputs = names.outputs "ERS7"
    expect.equal(#outputs, 47)
    expect.equal(outputs[13], "NECK:tilt")
    expect.equal(outputs[45], "LED:ABmod")
    expect.equal(outputs[46], "EAR:left")
    expect.equal(#names.outputs "ERS210", 29)
    expect.equal(#names.sensors "ERS7", 11)
    expect.equal(#names.buttons "ERS7", 10)
    expect.equal(names.of_atom "neckTilt2", "NECK:nod")
    expect.equal(names.of_atom "lFrElevator", "LFr:elvtr")
    expect.equal(names.of_atom "nearIRDist", "NearIRDist")
    expect.equal(names.of_atom "NECK:pan", "NECK:pan")
    expect.equal(names.of_atom "wing", nil)
    local robot <close> = rt.connect "aibo_ers7"
    for i = 1, names.JOINTS do
      local joint, dof = names.place(robot:describe(), outputs[i])
      expect.truthy(joint and robot:describe().joints[joint].index[dof], outputs[i])
    end
  end)
end)

describe("the ERS-210", function()
  it("has Tekkotsu's joints, searches for a ball and plays motions", function()
    local robot <close> = rt.connect "aibo_ers210"
    local outputs = names.outputs "ERS210"
    for i = 1, names.JOINTS do
      local joint, dof = names.place(robot:describe(), outputs[i])
      expect.truthy(joint and robot:describe().joints[joint].index[dof], outputs[i])
    end
    local field <close> = require "robotalk.field".open { balls = { { color = "pink", position = { 0.7, -0.4 } } } }
    local dog = require "robotalk.aibo".new(robot, { field = field, motions = "tests/mot", model = "ERS210" })
    expect.equal(dog:search_ball "pink", true)
    local ahead, left = dog:place_of_ball "pink"
    near(ahead, 0.7, 0.02)
    near(left, -0.4, 0.02)
    expect.equal(dog:query_sensors({ "NECK:roll", "iRDist" })[1], 0)
    local m, report = motion.read("#MSq\nNECK:roll 0.3\nNECK:nod 1\n#END", "x.mot", { model = "ERS210" })
    expect.equal(report[1].message, "ERS210 has no output NECK:nod: the line is left out")
    expect.truthy(player.play(robot, m))
    near(robot:state().joints.head.roll, 0.3, 1e-3)
    expect.equal(robot:set_speed { x = 0.03 }, "SUCCESS")
    rt.sleep(5)
    expect.truthy(robot:state().x > 0.1)
  end)
end)

describe("a motion on a robot", function()
  it("is played at its times and stays where it ends", function()
    local robot <close> = rt.connect "aibo_ers7"
    local begin = rt.now()
    local worst, samples = 0, 0
    local m = assert(motion.load "tests/mot/nod.mot")
    local watcher = rt.spawn(function()
      rt.sleep(0.001)
      for i = 1, 48 do
        rt.sleep(0.032)
        local state = robot:state()
        local v, w = m:at("NECK:nod", state.time - begin, 0)
        worst = math.max(worst, math.abs(state.joints.head.nod - v * w))
        samples = samples + 1
        if i == 24 then expect.truthy(math.abs(state.joints.tail.pan) > 0.2) end
      end
    end)
    local report, missing = player.play(robot, m)
    expect.truthy(report, missing)
    expect.equal(#missing, 0)
    expect.equal(report.underruns + report.refused, 0)
    near(report.worst, 0)
    expect.equal(report.signals.ERROR, nil)
    expect.truthy(watcher:wait())
    -- the servos are behind by a beat and what they need to accelerate
    expect.truthy(worst < 0.08, worst)
    expect.equal(samples, 48)
    near(robot:state().joints.head.nod, 0, 1e-3)
    near(robot:state().joints.tail.pan, 0, 1e-3)
    -- twice as fast, backwards, and back to where it was
    robot:set_joint("head", { nod = 0.2 })
    begin = rt.now()
    expect.truthy(player.play(robot, m, { speed = -2, hold = false }))
    expect.truthy(rt.now() - begin < 1.6)
    near(robot:state().joints.head.nod, 0.2, 1e-3)
  end)
  it("freezes on a panic", function()
    local robot <close> = rt.connect "aibo_ers7"
    local m = motion.new()
    m:set("NECK:pan", 2, 1.5)
    rt.spawn(function()
      rt.sleep(1)
      robot:panic()
    end)
    local report = player.play(robot, m)
    expect.truthy(report.signals.PANIC > 10)
    local pan = robot:state().joints.head.pan
    expect.truthy(pan > 0.2 and pan < 1)
    rt.sleep(2)
    near(robot:state().joints.head.pan, pan)
    robot:reset()
  end)
  it("goes as far as another body has such joints", function()
    local robot <close> = rt.connect "pioneer2"
    local m = motion.new()
    m:set("NECK:pan", 1, 0.5)
    m:set("LFr:knee", 1, 1)
    local report, missing = player.play(robot, m)
    expect.truthy(report)
    expect.equal(table.concat(missing, " "), "LFr:knee")
    near(robot:state().joints.head.pan, 0.5, 1e-3)
  end)
  it("is recorded", function()
    local robot <close> = rt.connect "aibo_ers7"
    rt.spawn(function() player.play(robot, "tests/mot/nod.mot") end)
    local m = player.record(robot, 1.8)
    near(m:at("NECK:nod", 0.8), -0.2, 0.08)
    near(m:at("TAIL:pan", 1.2), 0.5, 0.1)
    expect.truthy(#m.keys["NECK:nod"] >= 5 and #m.keys["NECK:nod"] < 40, #m.keys["NECK:nod"])
    expect.equal(#m.keys["LFr:knee"], 2) -- what does not move takes two
    local again, report = motion.read(m:write(), "recorded.mot")
    expect.equal(#report, 0)
    near(again:at("NECK:nod", 0.8), m:at("NECK:nod", 0.8), 1e-2)
  end)
end)
