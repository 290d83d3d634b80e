-- What the prompt shows, completes and tells; tests/e2e/prompt.sh tries it at a terminal.
local complete = require "robotalk.cli.complete"
local core = require "robotalk.core"
local help = require "robotalk.cli.help"
local pretty = require "robotalk.cli.pretty"
local prompt = require "robotalk.cli.prompt"
local rt = require "robotalk"
local task = require "robotalk.task"

local function list(want, got) expect.equal(table.concat(want, "|"), table.concat(got, "|")) end

describe("values at the prompt", function()
  it("are as Lua writes them", function()
    expect.equal([[{ 1, 2.5, { a = true }, [0] = 3, ["x y"] = "a\x01\"b" }]],
      pretty { 1, 2.5, { a = true }, [0] = 3, ["x y"] = 'a\1"b' })
    expect.equal("word", pretty "word")
    expect.equal("{}", pretty {})
  end)
  it("have no addresses", function()
    expect.equal("{ f = <function> }", pretty { f = function() end })
    expect.equal("<robotalk.model>", pretty((rt.model "pioneer2")))
  end)
  it("end, also those that hold themselves", function()
    local t = { name = "t" }
    t.self = t
    expect.equal("{ name = \"t\", self = {…} }", pretty(t))
  end)
  it("may hold any bytes", function()
    expect.equal([[{ "\xff\x80", "ä" }]], pretty { "\xff\x80", "ä" })
    local odd = setmetatable({}, { __tostring = function() return "\xff" end })
    expect.equal("{ 1, \xff, 2 }", pretty { 1, odd, 2 })
  end)
  it("have room for some names, and say how many are left", function()
    local many = {}
    for i = 1, 1000 do many[("name%04d"):format(i)] = i end
    local text = pretty(many)
    expect.truthy(text:find "name0072 = 72, … 928 more }$", text)
  end)
  it("come in one order, whatever their keys are", function()
    expect.equal([[{ [9] = 1, [10] = 1, ["10a"] = 1, ["9"] = 1 }]],
      pretty { [10] = 1, ["10a"] = 1, ["9"] = 1, [9] = 1 })
  end)
  it("that cannot be shown fail as their input would", function()
    local env, shown, say = setmetatable({}, { __index = _G }), "", core.say
    local _ <close> = setmetatable({}, { __close = function() core.say = say end })
    function core.say(_, text) shown = shown .. text end
    for _, meta in ipairs { "__tostring", "__pairs", "__len" } do
      local input = ("setmetatable({ 1 }, { %s = function() error 'no' end })"):format(meta)
      local value
      local t = task.spawn(function() value = prompt.evaluate(prompt.compile(input, env), env) end)
      expect.truthy(t:wait())
      expect.equal(false, value)
      expect.equal("table", type(env._))
    end
    expect.equal(("input:1: no\n"):rep(3), shown)
  end)
  it("fit a screen, less deep where they are long", function()
    local body = rt.model "asimo"
    local robot <close> = rt.connect "asimo"
    for _, x in ipairs { robot:state(), robot:describe(), { body }, robot } do
      local text, lines = pretty(x), 1
      for line in text:gmatch "[^\n]*\n" do
        lines = lines + 1
        expect.truthy(utf8.len(line) <= 101, line)
      end
      expect.truthy(lines <= 24, text)
    end
  end)
  it("tell of a command in a line", function()
    local robot <close> = rt.connect "pioneer2"
    local _, _, result = robot:set_joint("head", { pan = 0.1 })
    expect.truthy(tostring(result):find "^took %S+ m?s$", tostring(result))
    _, _, result = robot:go_to { x = 0, start = rt.now() - 9 }
    expect.equal("never began", tostring(result))
  end)
end)

describe("completion", function()
  local robot <close> = rt.connect "pioneer2"
  local env = { robot = robot, rt = rt, mine = { one = 1, two = { three = 3 } } }
  -- the word is what libedit takes for one: behind the last of its breaks
  local function after(line) return complete(env, line, line:match "[^ \t\n\"\\'`@$><=;|&{(]*$") end
  local function has(line, word)
    for _, found in ipairs(after(line)) do if found == word then return true end end
    return false
  end
  it("offers methods after a colon, fields after a dot, and nothing of the inside", function()
    expect.truthy(has("robot:set_j", "robot:set_joint"))
    expect.truthy(has("robot.", "robot.model"))
    expect.truthy(not has("robot.", "robot.client"))
    expect.truthy(not has("robot:", "robot:model"))
  end)
  it("knows what calls return, and calls nothing", function()
    list({ ").panic", ").pose", ").position" }, after "robot:state().p")
    expect.truthy(has("x = robot:session{ mode = \"delay\" }:fin", "}:finish"))
    list({}, after "robot:nosuch().")
  end)
  it("offers joints, control frames and robots within quotes", function()
    list({ "head" }, after 'robot:set_joint("h')
    list({ "gaze" }, after 'robot:set_frame("g')
    expect.truthy(has('rt.connect("pio', "pioneer2"))
    list({}, after 'print("h')
    list({ "base", "gaze", "head", "root" }, after 'robot:stop("')
  end)
  it("offers commands, modes, roles and functions within quotes", function()
    list({ "set_joint", "set_joint_force", "set_joint_speed" }, after 'robot:begin("set_j')
    list({ "playback" }, after 'robot:session{ duration = 3, mode = "pl')
    -- among the modes that other tests have made
    for _, mode in ipairs { "broadcast", "delay", "direct", "playback" } do
      expect.truthy(has('tape = robot:session { mode="', mode))
    end
    list({ "drive" }, after 'rt.connect("unix:a", { role = "d')
    list({ "go_to" }, after 'help "go')
  end)
  it("calls no metamethod of the script's", function()
    local function fails() error "called" end
    local strict = setmetatable({ odd = setmetatable({ one = 1 }, { __pairs = fails, __index = fails }) },
      { __index = fails })
    list({ "odd.one" }, complete(strict, "odd.o", "odd.o"))
    list({}, complete(strict, "even.o", "even.o"))
  end)
  it("offers globals, words of Lua and what is in tables", function()
    expect.truthy(has("whi", "while"))
    expect.truthy(has("pri", "print"))
    list({ "mine.two.three" }, after "mine.two.t")
    list({ "mine.one" }, after "mine.o")
  end)
end)

describe("help", function()
  it("tells of functions by themselves or by name", function()
    local robot <close> = rt.connect "pioneer2"
    expect.truthy(help.about(robot.go_to):find("session:go_to(goal)", 1, true))
    expect.truthy(help.about(rt.connect):find("rt.connect(name [, options])", 1, true))
    expect.truthy(help.about "set_joint":find("rad or m by name or number", 1, true))
    expect.truthy(help.about "robot:stop()":find("session:stop([what])", 1, true))
  end)
  it("lists what an object has", function()
    local robot <close> = rt.connect "pioneer2"
    expect.truthy(help.about(robot):find("\n  :reload", 1, true))
    expect.truthy(help.about(robot):find("\n  :go_to", 1, true)) -- of sessions
    expect.truthy(help.about(rt):find("\n  .spawn", 1, true))
    expect.truthy(help.about(rt):find("Starts fn(...) as a task.\n", 1, true))
    expect.truthy(help.about(rt.wire):find("\n  .decode", 1, true))
    expect.truthy(help.about(rt.ordering.open):find("ordering.open(options)", 1, true))
    expect.truthy(help.about(robot.model):find("\n  :jacobian", 1, true))
    expect.truthy(help.about "Result":find("\n  .lateness", 1, true))
  end)
  it("finds functions by the words of their text, and kinds of sensors", function()
    expect.truthy(help.about "physics":find("^These speak of 'physics':\n  rt%.look%(options%): "))
    expect.equal("laser, a kind of sensor: a scan of ranges in its plane x, y, from right to left. "
      .. 'robot:sense "laser"; docs/sensors.md', help.about "laser")
  end)
  it("says when there is none", function()
    expect.equal("There is nothing named 'nosuch'. help shows where to begin.", help.about "nosuch")
    expect.equal("There is nothing named 'set_jiont'; did you mean 'set_joint'? help shows where to begin.",
      help.about "set_jiont")
    expect.truthy(help.about(function() end):find 'help "NAME"')
  end)
end)

describe("a line of the prompt", function()
  it("that is not finished wants more", function()
    expect.equal(true, select(3, prompt.compile("for i = 1, 3 do", {})))
    expect.equal(false, select(3, prompt.compile("for i = 1, 3 od", {})))
  end)
  it("names what was meant", function()
    expect.equal("input:1: attempt to call a nil value (method 'set_sped'); did you mean set_speed?",
      prompt.plain({}, "input:1: attempt to call a nil value (method 'set_sped')"))
    expect.equal("input:1: attempt to call a nil value (method 'goto_'); did you mean go_to?",
      prompt.plain({}, "input:1: attempt to call a nil value (method 'goto_')"))
    expect.equal("input:1: attempt to call a nil value (global 'pirnt'); did you mean print?",
      prompt.plain({}, "input:1: attempt to call a nil value (global 'pirnt')"))
    expect.equal("input:1: attempt to call a nil value (global 'wholly_else')",
      prompt.plain({}, "input:1: attempt to call a nil value (global 'wholly_else')"))
  end)
  it("comes back from history as the same program", function()
    list({ "for i = 1, 2 do print(i) end" }, prompt.remembered "for i = 1, 2 do -- two\nprint(i)\nend\n")
    list({ "x = [[a", "-- b]]" }, prompt.remembered "x = [[a\n-- b]]\n")
    list({ "print '--'" }, prompt.remembered "print '--'\n")
    list({}, prompt.remembered "\n")
  end)
  it("keeps tokens out of history", function()
    list({}, prompt.remembered [[r = rt.connect("robotalk+tls://arm", { token = "mine" })]])
    list({}, prompt.remembered [[rt.connect(url, { token
      = 'mine' })]])
    list({}, prompt.remembered("who = '" .. "rtk_" .. ("0f"):rep(32) .. "'"))
    list({ "rt.connect(url, { token = who })" }, prompt.remembered "rt.connect(url, { token = who })")
    list({ "o = { token_file = 'f' }" }, prompt.remembered "o = { token_file = 'f' }")
  end)
end)
