-- Section IV of paper 004, and the charts that show it.
local core = require "robotalk.core"
local plot = require "robotalk.plot"
local rt = require "robotalk"
local ordering = require "experiments.ordering"

-- ---- charts ----

local LEFT, TOP, RIGHT, BOTTOM = 66, 40, 566, 350 -- the frame

-- The lines of a chart that belong to curves: lists of { x, y } in the picture.
local function lines_of(svg)
  local lines = {}
  for points in svg:gmatch('<polyline points="([^"]*)"') do
    local line = {}
    for x, y in points:gmatch "([^ ,]+),([^ ,]+)" do line[#line + 1] = { tonumber(x), tonumber(y) } end
    lines[#lines + 1] = line
  end
  return lines
end

local function chart(curves, options)
  local what = { title = "T", x = "x", y = "y", curves = curves }
  for name, value in pairs(options or {}) do what[name] = value end
  return plot.chart(what)
end

local function is_point(p, x, y)
  expect.near(x, p[1], 0.051)
  expect.near(y, p[2], 0.051)
end

describe("a chart", function()
  it("puts its ends into the corners, on both scales", function()
    local line = lines_of(chart { { { 2, -1 }, { 3, 0 }, { 4, 1 } } })[1]
    is_point(line[1], LEFT, BOTTOM)
    is_point(line[2], (LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2)
    is_point(line[3], RIGHT, TOP)
    line = lines_of(chart({ { { 1, 0.01 }, { 10, 0.1 }, { 100, 1 } } }, { logarithmic = true }))[1]
    is_point(line[1], LEFT, BOTTOM)
    is_point(line[2], (LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2)
    is_point(line[3], RIGHT, TOP)
  end)
  it("cuts at its frame what leaves it", function()
    local lines = lines_of(chart({ { { 0, 0 }, { 1, 20 }, { 2, 0 } } }, { low = 0, high = 10 }))
    expect.equal(2, #lines)
    is_point(lines[1][2], LEFT + 0.25 * (RIGHT - LEFT), TOP)
    is_point(lines[2][1], LEFT + 0.75 * (RIGHT - LEFT), TOP)
  end)
  it("shows where a curve comes back from infinity, and leaves gaps where there is no number", function()
    for _, logarithmic in ipairs { true, false } do
      local lines = lines_of(chart({ { { 1, math.huge }, { 2, 5 }, { 3, math.huge }, { 4, 2 }, { 5, 0 / 0 }, { 6, 2 },
        { 7, 2 } } }, { low = 1, high = 10, logarithmic = logarithmic }))
      expect.equal(3, #lines)
      expect.equal(3, #lines[1])
      expect.near(TOP, lines[1][1][2], 0.06)
      expect.near(TOP, lines[1][3][2], 0.06)
      expect.near(TOP, lines[2][1][2], 0.06)
      expect.equal(2, #lines[3])
    end
  end)
  it("draws nothing outside its frame, whatever the numbers", function()
    for round = 1, 200 do
      local logarithmic, curve = round % 2 == 0, {}
      for i = 1, 20 do
        local x = core.random()
        curve[i] = { i, x < 0.1 and math.huge or x < 0.2 and -math.huge or x < 0.3 and 0 / 0 or x < 0.4 and 0 or
          (logarithmic and 1 or core.random() - 0.5) * 10 ^ (40 * core.random() - 20) }
      end
      local svg = chart({ curve }, { low = 0.5, high = 20, logarithmic = logarithmic })
      expect.truthy(not svg:find("nan") and not svg:find("inf"), svg)
      for _, line in ipairs(lines_of(svg)) do
        for _, p in ipairs(line) do
          expect.truthy(p[1] >= LEFT and p[1] <= RIGHT and p[2] >= TOP and p[2] <= BOTTOM, svg)
        end
      end
    end
  end)
  it("has round numbers at its axes, and names in its legend", function()
    local svg = chart({ { { 20, 1 }, { 2000, 2 }, name = "a < b" } }, { logarithmic = true, low = 1, high = 200,
      level = 3 })
    for _, tick in ipairs { 20, 50, 100, 200, 500, 1000, 2000 } do
      expect.truthy(svg:find(('text-anchor="middle" fill="#777">%d<'):format(tick), 1, true), tick)
    end
    expect.truthy(svg:find("a &lt; b", 1, true))
    expect.truthy(svg:find("stroke-dasharray", 1, true))
    expect.truthy(chart({ { { 0.3, 1 }, { 0, 0 } } }):find('fill="#777">0.3<', 1, true))
  end)
  it("is a picture even of nothing", function()
    for _, logarithmic in ipairs { true, false } do
      for _, curves in ipairs { {}, { {} }, { { { 1, 1 } } }, { { { 0, math.huge }, { 0, 0 } } } } do
        local svg = chart(curves, { logarithmic = logarithmic })
        expect.truthy(svg:find("</svg>", 1, true))
        expect.truthy(not svg:find("nan") and not svg:find("inf"), svg)
      end
    end
  end)
end)

-- ---- the experiment ----

-- Messages a second from which on every higher rate is good, by an independent simulation; F's are our own. OW is O
-- without the hold-aware command.
local schemes = setmetatable({}, { __index = ordering.schemes })
schemes.OW = { options = { scheme = "O", weights = ordering.schemes.O.options.weights } }
local NEEDED = {
  { "line", 1e-3, { A = 122, B = 87, C = 112, D = 61, E = 52, F = 47, O = 37, OW = 40 } },
  { "oscillation", 1e-3, { A = 685, B = 265, C = 375, D = 289, E = 94, F = 87, O = 73, OW = 79 } },
  { "force", 10, { A = 814, B = 445, C = 1054, D = 408, E = 94 } },
  { "force", 3, { A = 967, B = 685, C = 1148, D = 529, E = 112, F = 47, O = 47, OW = 103 } },
}

-- Those of the experiment's rates that lie around one, or all of them.
local function rates_around(low, high)
  if os.getenv "ROBOTALK_LONG" then return ordering.all_rates() end
  local list = {}
  for _, rate in ipairs(ordering.all_rates()) do
    if rate > low / 1.22 and rate < high * 1.35 then list[#list + 1] = rate end
  end
  return list
end

describe("command ordering", function()
  it("needs the least rate from which on all are good", function()
    local curve = { { 1, 0.5 }, { 2, 3 }, { 3, 1 }, { 4, 0.5 } }
    expect.equal(3, ordering.least(curve, 1))
    expect.equal(nil, ordering.least(curve, 0.1))
    expect.equal(1, ordering.least(curve, 3))
    expect.equal(nil, ordering.least({ { 1, 0 }, { 2, 0 / 0 } }, 1))
  end)
  for _, case in ipairs(NEEDED) do
    local task, good, needed = table.unpack(case)
    it(("needs what the reference needs, within a step of the rates: %s, %g"):format(task, good), function()
      local found = {}
      for name, rate in pairs(needed) do
        rt.sleep(0) -- who computes for long without waiting is ended
        found[name] = ordering.least(ordering.sweep(schemes[name], task, rates_around(rate, rate)), good)
        expect.truthy(found[name] and found[name] < rate * 1.11 and found[name] > rate / 1.11,
          ("scheme %s: expected %g, got %s"):format(name, rate, found[name]))
      end
      if not found.F then return end
      expect.truthy(found.F < found.E and found.O < found.E, "fewer than E")
      if task == "force" then expect.truthy(found.F <= found.E / 2 and found.O <= found.E / 2, "half of E's") end
    end)
  end
  it("does on the simulated countertop of section V what the paper's arm does on its own", function()
    local found = {}
    for name, rate in pairs { A = 205, B = 172, C = 289, E = 28, F = 20, O = 20 } do -- our own
      rt.sleep(0)
      found[name] = ordering.least(ordering.sweep(schemes[name], "countertop", rates_around(rate, rate)), 2)
      expect.truthy(found[name] and found[name] < rate * 1.11 and found[name] > rate / 1.11,
        ("scheme %s: expected %g, got %s"):format(name, rate, found[name]))
    end
    expect.truthy(found.E < 200 and found.B > 1.5 * found.E)
    expect.truthy(found.A > found.B and found.C > found.A)
    -- 5 N, and 9 mm of 1.73 kN/m when the fork begins
    local r = ordering.trial(schemes.E, "countertop", 1200)
    expect.near(15.57, r.worst_force, 0.1)
    expect.truthy(r.task < 5e-3 and r.messages <= 8400, r.task)
    -- before and well after the fork it is quiet
    for _, p in ipairs(ordering.trial(schemes.E, "countertop", 1200, { samples = true }).forces) do
      if p[1] > 0.3 and p[1] < 3 or p[1] > 6.5 then expect.near(0, p[2], 0.1, ("at %g s"):format(p[1])) end
    end
  end)
  it("needs half as much with F as with E when start, gains and stiffness are not what they should be", function()
    local conditions = ordering.perturbations(core.random)
    expect.equal(5, #conditions)
    local e = ordering.perturbed(ordering.schemes.E, conditions, rates_around(90, 150))
    local f = ordering.perturbed(ordering.schemes.F, conditions, rates_around(40, 70))
    expect.truthy(f.median <= e.median / 2 and f.worst <= e.worst / 2,
      ("F %g (%g), E %g (%g)"):format(f.median, f.worst, e.median, e.worst))
  end)
  it("leaves no joint without a message for longer than the guard allows, in any run", function()
    for _, name in ipairs { "E", "F", "O" } do
      for _, task in ipairs { "line", "oscillation", "force", "countertop" } do
        for _, rate in ipairs { 40, 130, 450 } do
          for _, most in ipairs { 7, 14, 28, 56 } do
            local r = ordering.trial(ordering.schemes[name], task, rate, { most_messages = most })
            expect.truthy(r.lost or r.oldest < most + 7, ("%s, %s at %d: %d"):format(name, task, rate, r.oldest))
          end
        end
      end
    end
    -- and without one, the rule alone does
    expect.truthy(ordering.trial(ordering.schemes.E, "line", 130).oldest > 56 + 7)
  end)
  it("has arms that share a bus: six joints are the seven without gamma, and a sync write sees no other arm", function()
    local function together(servos)
      return ordering.trial(ordering.schemes.F, "force", 300, { servos = servos, together = servos, late = 1 / 300 })
    end
    local one, two = together(6), together(12)
    expect.near(one.force, two.force, 1e-9)
    expect.near(one.position, two.position, 1e-9)
    expect.near(one.force, together(7).force, 1e-3)
    expect.near(one.position, together(7).position, 1e-6)
    local r = ordering.trial(ordering.schemes.F, "line", 400, { servos = 20 })
    local told = 0
    for _, n in ipairs(r.told) do told = told + n end
    expect.equal(r.messages, told)
  end)
  it("sends goals to servos as docs/ordering.md has it", function()
    local section = io.open("docs/ordering.md"):read("a"):match "## On a bus of serial servos(.-)\n## "
    local blocks, checked = { { "messages", 0.5 }, { "path", 0.0005 }, { "force", 0.005 } }, 0
    local at = 0
    for line in section:gmatch "[^\n]+" do
      if line:find "^    servos +baud" then at = at + 1 end
      local servos, baud, rest = line:match "^ +(%d+) +(%d+)( .*)$"
      servos, baud = tonumber(servos), tonumber(baud)
      local taken = servos == 12 and baud < 100000 or servos == 20 and baud == 1000000 or os.getenv "ROBOTALK_LONG"
      if servos and taken then
        local cells = rest:gmatch "%S+"
        for _, p in ipairs(ordering.packets) do
          for _, way in ipairs(ordering.ways) do
            local cell, found = cells(), ordering.on_bus(p, way, servos, baud)
            rt.sleep(0)
            local value = found and found[blocks[at][1]]
            -- below the rate that it needs a run is chaotic
            local tolerance = blocks[at][2] + (way.name == "B'" and at == 3 and 1 or 0.02) * (value or 0)
            expect.truthy(value and math.abs(value - tonumber(cell)) <= tolerance or not value and cell == "-",
              ("%s: %s, %s: %s, got %s"):format(line, p.name, way.name, cell, value))
            checked = checked + 1
          end
        end
        expect.equal(nil, cells())
      end
    end
    expect.truthy(at == 3 and checked >= 72, checked)
  end)
  it("says what it is not given rightly", function()
    for _, wrong in ipairs { { rate = 0 }, { rate = 0 / 0 }, { rate = 1e6 }, { rate = 100, scheme = "F" },
      { rate = 100, task = "x" }, { rate = 100, stiffness = -1 }, { rate = 100, weights = {} },
      { rate = 100, most_messages = 1.5 }, { rate = 100, servos = 8 }, { rate = 100, servos = 21 },
      { rate = 100, servos = 12, scheme = "O" }, { rate = 100, late = 0.02 }, { rate = 100, together = 8 }, {} } do
      expect.raises("", core.ordering_trial, wrong)
    end
    expect.raises("ordering has no option 'jonts'; did you mean 'joints'", rt.ordering.open, { jonts = 3 })
    expect.raises("ordering: order: want sequential, .+ or planned, got 'best'$", rt.ordering.open,
      { joints = 3, order = "best" })
    expect.raises("ordering: kind: want send, store or synchronise, got nil$", rt.ordering.open { joints = 3 }.sent,
      rt.ordering.open { joints = 3 }, {}, 0)
  end)
end)
