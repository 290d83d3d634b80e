-- Robots as lines of text: what is known of them, and the pictures.
local canvas = require "robotalk.screen.canvas"
local picture = require "robotalk.watch.picture"
local robots = require "robotalk.watch.robots"
local rt = require "robotalk"
local seen = require "robotalk.watch.seen"
local text = require "robotalk.watch.text"

local ASCII <const>, UTF8 <const> = { utf8 = false, color = false }, { utf8 = true, color = false }

-- A robot that has driven ahead and to the left, and sees a wall on its left side, further on.
local function view()
  return { robot = "pioneer2", link = { up = true, round_trip = 0.0124, jitter = 0.002 }, age = 0.05, late = 0.006,
    x = 1, y = 0.5, theta = math.pi / 2, velocity = { x = 0.3, y = 0, theta = 0 }, battery = 0.87, override = 1,
    moving = true, panic = false, trail = { { x = 0, y = 0 }, { x = 1, y = 0 }, { x = 1, y = 0.5 } },
    rays = { { from = { 1, 0.5 }, to = { 1, 1.5 }, hit = true }, { from = { 1, 0.5 }, to = { 6, 0.5 } } },
    readings = { { type = "sonar", range = 1, age = 0.1 } },
    holders = { { holder = "olga 3", parts = { "base", "head.pan" }, own = false, left = 4 } },
    latches = {},
    joints = { { name = "head.pan", position = 0, low = -1.7, high = 1.7 },
      { name = "head.tilt", position = 0.4, low = -0.4, high = 0.4 },
      { name = "wheel", position = 12, low = -math.huge, high = math.huge } } }
end

-- A robot of which nothing has come, at the end of a link that is lost.
local function lost(name)
  return { robot = name, link = { up = false, why = "no answer" }, trail = {}, rays = {}, readings = {}, holders = {},
    latches = {}, joints = {} }
end

local function shown(views, columns, rows, style)
  local lines = picture(views, columns, rows, style)
  for i, line in ipairs(lines) do lines[i] = line:gsub(" +$", "") end
  return table.concat(lines, "\n")
end

describe("a picture of robots", function()
  it("has a map, and beside it what is known, with its age", function()
    expect.equal([[
                                    pioneer2  moves
  +    +    +    +    +    +    +   link up, 12 ms round trip, +2 ms
                                    state 50 ms old, came 6 ms late
                                    x 1.00 y 0.50 m, 90 deg
  +    +    * :  +:   <pioneer2 +   0.30 m/s, 0.00 rad/s, battery 87 %
                           .        sonar: 1.00 m, 100 ms old
  +    +    +    +    +    .    +   base head.pan: olga 3
                           .        head.pan     [-----#----]   +0.00
                           .        head.tilt    [---------#]   +0.40
  +    +    +    +    +    .    +   wheel                      +12.00

  +    +    +    +    +    +    +

x up, y left; grid 0.5 m]], shown({ view() }, 72, 14, ASCII))
  end)
  it("is drawn in braille where the terminal has UTF-8", function()
    expect.equal([[
                                    pioneer2  moves
  ⠠    ⠠    ⠠    ⠠    ⠠    ⠠    ⠠   link up, 12 ms round trip, +2 ms
                                    state 50 ms old, came 6 ms late
                                    x 1.00 y 0.50 m, 90 deg
  ⠈    ⠈    ⠈ ⠈ ⠈⠈⠈ ⠈ ←pioneer2 ⠈   0.30 m/s, 0.00 rad/s, battery 87 %
                           ⢸        sonar: 1.00 m, 100 ms old
  ⠠    ⠠    ⠠    ⠠    ⠠    ⢸    ⠠   base head.pan: olga 3
                           ⢸        head.pan     [─────●────]   +0.00
                           ⢸        head.tilt    [─────────●]   +0.40
  ⠈    ⠈    ⠈    ⠈    ⠈    ⠈    ⠈   wheel                      +12.00

  ⠠    ⠠    ⠠    ⠠    ⠠    ⠠    ⠠

x up, y left; grid 0.5 m]], shown({ view() }, 72, 14, UTF8))
  end)
  it("of several robots shares its lines, and a narrow one has no map", function()
    expect.equal([[
pioneer2  moves
link up, 12 ms round trip, +2 ms
state 50 ms old, came 6 ms late
... 7 more
olga
link LOST: no answer
... 2 more]], shown({ view(), lost "olga" }, 40, 7, ASCII))
  end)
  it("says who waits for resume", function()
    local one = view()
    one.latches = { { name = "patrol.lua 4", by = "olga 3", since = rt.now() - 12, own = false } }
    expect.truthy(shown({ one }, 100, 20, ASCII):find "patrol.lua 4 waits for resume:.*stopped by olga 3 12 s ago")
  end)

  it("is never greater than the terminal", function()
    for columns = 1, 100, 9 do
      for rows = 1, 30, 3 do
        for _, style in ipairs { ASCII, UTF8 } do
          local lines = picture({ view(), lost "a", lost(("long"):rep(40)) }, columns, rows, style)
          expect.equal(true, #lines <= rows)
          for _, line in ipairs(lines) do
            expect.equal(true, (style.utf8 and utf8.len(line) or #line) <= columns, line)
          end
        end
      end
    end
  end)
  it("shows places that are none nowhere", function()
    local odd = view()
    odd.x, odd.trail[2].x, odd.rays[1].to[1] = 0 / 0, math.huge, -math.huge
    expect.equal(14, #picture({ odd }, 80, 14, UTF8))
    odd.y, odd.trail = 1e300, { { x = 1e300, y = -1e300 } }
    expect.equal(14, #picture({ odd }, 80, 14, UTF8))
  end)
  it("has colors where the user wants them, and nothing that commands a terminal", function()
    local colored = picture({ lost "a\27[2J\xc2\x9b\xff" }, 40, 5, { utf8 = true, color = true })
    expect.equal("\27[1ma?[2J??\27[0m", colored[1])
    expect.equal("\27[31mlink LOST: no answer\27[0m", colored[2])
    expect.equal("a?b", picture({ lost "a\xc2\x9bb" }, 40, 5, UTF8)[1])
    expect.equal("a?[2J", picture({ lost "a\27[2J" }, 40, 5, UTF8)[1])
  end)
end)

describe("a table of robots", function()
  local top = require "robotalk.watch.top"
  it("has a line for each, as many as there is room for", function()
    local views = { view(), lost "a very long name", lost "b", lost "c" }
    local lines = top(views, 120, 4, ASCII)
    for i, line in ipairs(lines) do lines[i] = line:gsub(" +$", "") end
    expect.equal([[
robot               trip/ms late/ms  age/ms     x/m     y/m   deg   m/s  bat  driven by
pioneer2     moves       12       6      50    1.00    0.50    90  0.30  87%  olga 3: base head.pan
a very long> LOST         -       -       -       -       -     -     -    -
... 2 more]], table.concat(lines, "\n"))
    expect.equal("pioneer2     moves       50    1.00    0.50    90  0.30  87%  olga 3: base head>",
      top({ view() }, 80, 4, ASCII)[2])
    local held = view()
    held.obstacle = "a box"
    held.latches = { { name = "patrol.lua 4", by = "olga 3", since = rt.now() - 12, own = false } }
    expect.truthy(top({ held }, 250, 4, ASCII)[2]
      :find("in the way: a box; patrol.lua 4: stopped by olga 3 12 s ago, waits for resume; olga", 1, true))
    expect.truthy(require "robotalk.watch.line" (held)
      :find("patrol.lua 4: stopped by olga 3 12 s ago, waits for resume; in the way: a box; link", 1, true))
    for columns = 1, 100, 9 do
      for rows = 0, 6 do
        local drawn = top(views, columns, rows, ASCII)
        expect.equal(true, #drawn <= rows)
        for _, line in ipairs(drawn) do expect.equal(true, #line <= columns, line) end
      end
    end
  end)
end)

describe("a fleet", function()
  local board = require "robotalk.watch.board"
  local fleet = require "robotalk.watch.fleet"
  -- A robot of a fleet, which stands.
  local function member(name)
    return { robot = name, kind = "rover", host = "hall-1", url = "dds://1/" .. name, x = 1, y = -2, theta = 0,
      age = 0.05, moving = false, panic = false, battery = 0.5, link = { up = true }, holders = {}, trail = {},
      rays = {} }
  end
  local function drawn_of(views, columns, rows, more)
    local lines = board(views, columns, rows, ASCII, more)
    for i, line in ipairs(lines) do lines[i] = line:gsub(" +$", "") end
    return table.concat(lines, "\n")
  end
  local function five()
    local a, b, c = member "a", member "b", member "c"
    a.panic, a.panic_name, a.holders = true, "olga", { { holder = "pilot 3", parts = { "base", "head" } } }
    b.link.up, b.age = false, 3.4
    c.x, c.age, c.battery = nil, nil, nil
    return { a, b, c, member "d", member "e" }
  end
  it("is a table", function()
    expect.equal([[
robot                host      age/ms    x/m    y/m  bat  driven by
a             PANIC  hall-1        50    1.0   -2.0  50%  panic by olga; pilot 3: base head
b             SILENT hall-1      3400    1.0   -2.0  50%  silent for 3 s
c             ?      hall-1         -      -   -2.0    -
... 2 more]], drawn_of(five(), 99, 5))
    expect.truthy(drawn_of(five(), 100, 9):find("a             PANIC  rover            hall-1", 1, true))
  end)
  it("has a mark at the selected robot, which is in sight, news and keys, and a map where it is wide", function()
    local views = five()
    for i, one in ipairs(views) do one.selected = i == 5 end
    local more = { news = { "1", "2", "3", "4", "5" }, place = "dds://1", map = true }
    local narrow = drawn_of(views, 90, 9, more)
    expect.truthy(narrow:find("\n>e  ", 1, true) and narrow:find("\n d  ", 1, true))
    expect.truthy(narrow:find "\n2\n3\n4\n5\nP panic")
    expect.equal(nil, narrow:find("grid", 1, true))
    local wide = drawn_of(views, 130, 20, more)
    expect.truthy(wide:find("x up, y left; grid 0.5 m", 1, true) and wide:find("^e", 1, true))
    for columns = 1, 140, 9 do
      for rows = 0, 14 do
        local drawn = board(views, columns, rows, ASCII, more)
        expect.truthy(#drawn <= rows)
        for _, line in ipairs(drawn) do expect.truthy(#line <= columns, line) end
      end
    end
  end)
  it("is named by an address without a robot", function()
    for given, wanted in pairs { ["dds://1"] = "dds://1", ["dds://1/"] = "dds://1",
      ["dds://1/hall?noros"] = "dds://1/hall?noros", ["dds://1/hall/two/"] = "dds://1/hall/two",
      ["dds://1/hall/robot"] = false, ["robotalk://host"] = false, pioneer2 = false } do
      expect.equal(wanted or nil, fleet.of(given), given)
    end
  end)
end)

describe("a canvas", function()
  it("writes runs of one color together", function()
    local c = canvas.new(4, 1, { { letter = "*", color = "red" } }, { utf8 = false, color = true })
    c:dot(0, 0, 1)
    c:dot(1, 0, 1)
    expect.equal("\27[31m**\27[0m  ", c:lines()[1])
  end)
  it("cuts text as letters", function()
    expect.equal("äö…", text.fit("äöüß", 3, UTF8))
    expect.equal("??>", text.fit("äöüß", 3, ASCII))
    expect.equal("ä  ", text.pad("ä", 3, UTF8))
  end)
end)

describe("what is seen of a robot", function()
  it("has a place, a path, rays, joints, holders, and the age of each", function()
    local robot <close> = rt.connect "pioneer2"
    local looking = seen.open(robot, robot)
    robot:set_speed { x = 0.3 }
    rt.sleep(3)
    robot:stop()
    rt.sleep(0.5)
    local now = looking:view(rt.now())
    expect.equal("pioneer2", now.robot)
    expect.equal(true, now.link.up)
    expect.near(robot:state().x, now.x, 1e-6)
    expect.equal(true, now.age <= 0.2 and now.late < 0.01)
    expect.equal(true, #now.trail > 5 and #now.trail < 20)
    expect.equal("head.pan head.tilt", now.joints[1].name .. " " .. now.joints[2].name)
    expect.near(5, now.readings[1].range, 1e-9)
    expect.equal(16, #now.rays)
    -- sonar3 looks ahead, 10 degrees to the left
    local ray = now.rays[4]
    expect.near(now.x + 0.166, ray.from[1], 1e-6)
    expect.near(now.x + 0.166 + 5 * math.cos(math.rad(10)), ray.to[1], 1e-6)
    expect.near(0.027 + 5 * math.sin(math.rad(10)), ray.to[2], 1e-6)
    expect.equal(false, ray.hit)
    expect.equal("base", now.holders[1].parts[1])
    looking:close()
  end)

  it("has the rays of a laser that is called laser", function()
    local robot <close> = rt.connect "pioneer2_laser"
    local looking = seen.open(robot, robot)
    rt.sleep(0.5)
    expect.equal(16 + 181, #looking:view(rt.now()).rays)
    looking:close()
  end)
end)

describe("what is seen of a robot over a link that is cut", function()
  it("grows older, its state and its readings", function()
    local robot <close> = rt.connect "pioneer2"
    local looking = seen.open(robot, robot)
    rt.sleep(0.5)
    local before = looking:view(rt.now())
    expect.equal(true, before.age < 0.2 and before.readings[1].age < 0.2)
    robot.client.link:cut(true)
    for seconds = 1, 3 do
      rt.sleep(1)
      local now = looking:view(rt.now())
      expect.near(before.age + seconds, now.age, 0.2)
      expect.near(before.readings[1].age + seconds, now.readings[1].age, 0.2)
    end
    robot.client.link:cut(false)
    rt.sleep(1)
    local now = looking:view(rt.now())
    expect.equal(true, now.age < 0.2 and now.readings[1].age < 0.2)
    looking:close()
  end)
end)

describe("what is seen of a robot that is described anew", function()
  local function body(sensors, joint)
    return { name = "changes", base = { driver = "sim" }, links = { [0] = { name = "hull" } }, sensors = sensors,
      joints = { { name = joint, driver = "sim", dofs = { { name = "pan", limit = { -1, 1 } } } } },
      drivers = { sim = { driver = "sim" } } }
  end
  local function sonar(i)
    return { name = "sonar" .. i, type = "sonar", link = "hull", range = { 0.1, 5 }, rate = 10 }
  end
  it("is of the new body", function()
    assert(rt.add_robot(body({ sonar(1), sonar(2) }, "neck")))
    local robot <close> = rt.connect "local:changes"
    local looking = seen.open(robot, robot)
    rt.sleep(0.5)
    expect.equal(2, #looking:view(rt.now()).rays)
    assert(robot:reload(body({ sonar(1) }, "head")))
    rt.sleep(0.5)
    local now = looking:view(rt.now())
    expect.equal("head", now.joints[1].name)
    rt.sleep(0.5)
    expect.equal(1, #looking:view(rt.now()).rays)
    assert(robot:reload(body({}, "head")))
    rt.sleep(0.5)
    now = looking:view(rt.now())
    expect.equal(0, #now.rays)
    expect.equal(0, #now.readings)
    looking:close()
    robot:close()
    require("robotalk.drivers").remove "changes"
  end)
end)

describe("what cannot be seen of a robot", function()
  it("is told, and asked for again", function()
    local robot <close> = rt.connect "pioneer2"
    local handles = {}
    for i = 1, 100 do
      handles[i] = robot:broadcast(1, function() end)
      if not handles[i] then break end
    end
    local looking = seen.open(robot, robot)
    expect.truthy(looking:view(rt.now()).trouble:find "at most", "says why")
    for _, handle in ipairs(handles) do handle:cancel() end
    rt.sleep(1.5)
    local now = looking:view(rt.now())
    expect.equal(nil, now.trouble)
    expect.truthy(now.x, "its state")
    looking:close()
  end)
end)

describe("an address", function()
  it("that names a robot, or is a name, means that robot", function()
    for _, where in ipairs { "pioneer2", "robotalk://host:1/x", "unix:/tmp/a#x", "local:x",
      "robotalk+tls://h/x?a=b" } do
      expect.same({ where }, robots.at(where))
    end
  end)
end)
