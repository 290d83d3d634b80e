-- rt.ordering: the decision of paper 004 for scripts. That it decides as the paper says is judged in
-- tests/unit/bus_schedule_paper_test.c; here is what scripts see of it.
local rt = require "robotalk"

-- Three joints that each move a row of their own, the second row counting ten times as much.
local J = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
local function open(options)
  local all = { joints = 3, weights = { 1, 10, 1 } }
  for name, value in pairs(options or {}) do all[name] = value end
  return rt.ordering.open(all)
end

-- The joints that get messages until nothing is left to send, at most n.
local function joints(s, speeds, n)
  local list = {}
  for i = 1, n do
    local choice = s:pick(J, speeds, i * 0.01)
    if not choice then break end
    s:sent(choice, i * 0.01)
    list[i] = choice.joint
  end
  return table.concat(list, " ")
end

describe("rt.ordering", function()
  it("sends first what counts most, and then nothing", function()
    local s = open()
    local choice = s:pick(J, { 0.5, 0.1, 0.2 }, 0)
    expect.equal(choice.kind, "send")
    expect.equal(choice.joint, 2)
    expect.equal(choice.value, 0.1)
    expect.equal(s:pick(J, { 0.5, 0.1, 0.2 }, 0).joint, 2) -- it was not sent
    expect.equal(joints(s, { 0.5, 0.1, 0.2 }, 9), "2 1 3")
    expect.equal(s:pick(J, { 0.5, 0.1, 0.2 }, 1), false)
    local speeds = s:speeds()
    expect.equal(table.concat(speeds, " "), "0.5 0.1 0.2")
  end)
  it("goes round, and stores and synchronises, as its order says", function()
    expect.equal(joints(open { order = "sequential" }, { 0.5, 0.1, 0.2 }, 7), "1 2 3 1 2 3 1")
    expect.equal(joints(open { order = "updated" }, { 0.5, 0.1, 0.2 }, 4), "1 2 3 1")
    expect.equal(joints(open { order = "optimal" }, { 0.5, 0.1, 0.2 }, 9), "2 1 3")
    expect.equal(joints(open { order = "planned" }, { 0.5, 0.1, 0.2 }, 1), "2")
    local s, kinds = open { order = "synchronised" }, {}
    for i = 1, 5 do
      local choice = s:pick(J, { 1, 1, 1 }, i)
      kinds[i] = choice.kind
      s:sent(choice, i)
    end
    expect.equal(table.concat(kinds, " "), "store store store synchronise store")
  end)
  it("repeats what was lost first", function()
    local s = open()
    joints(s, { 0.5, 0.1, 0.2 }, 9)
    s:lost(3)
    local choice = s:pick(J, { 0.9, 0.1, 0.2 }, 1)
    expect.equal(choice.joint, 3)
    expect.equal(choice.value, 0.2)
  end)
  it("lets no joint wait for too long", function()
    local s = open { most_age = 0.5 }
    joints(s, { 0.5, 0.1, 0.2 }, 3) -- at 0.01, 0.02, 0.03 s
    expect.near(s:due(), 0.51, 1e-9)
    expect.equal(s:pick(J, { 0.5, 0.1, 0.2 }, 0.5), false)
    expect.equal(s:pick(J, { 0.5, 0.1, 0.2 }, 0.515).joint, 2)
    expect.equal(open():due(), nil)
    s = open { most_messages = 2 }
    expect.equal(joints(s, { 0.5, 0.1, 0.2 }, 3), "2 1 3")
  end)
  it("solves for the joints, with the Jacobian of a model", function()
    local model = rt.model "puma560"
    local q = model:home()
    q[2], q[3] = 0.3, -0.4
    local jacobian = model:jacobian(q, 1)
    local s = rt.ordering.open { joints = #q, rows = 6 }
    local wanted = { 0.1, 0, 0, 0, 0, 0 }
    for i = 1, 6 * #q do
      local choice = s:choose(jacobian, wanted, i * 0.001)
      if not choice then break end
      s:sent(choice, i * 0.001)
    end
    local speeds = s:speeds()
    for row = 1, 6 do
      local sum = 0
      for k = 1, #q do sum = sum + jacobian[row][k] * speeds[k] end
      expect.near(sum, wanted[row], 2e-3)
    end
    local _, message, code = s:choose(jacobian, { math.huge, 0, 0, 0, 0, 0 }, 1)
    expect.equal(code, "ERANGE")
    expect.truthy(message)
  end)
  it("has the order of a bus where none is named: planned up to 10 joints, optimal beyond", function()
    -- the joints in the order of their messages
    local function sends(order, n, jacobian, speeds)
      local s, list = rt.ordering.open { joints = n, rows = #jacobian, order = order }, {}
      for i = 1, n do
        local choice = s:pick(jacobian, speeds, i * 0.01)
        if not choice then break end
        list[i] = choice.joint
        s:sent(choice, i * 0.01)
      end
      return table.concat(list, " ")
    end
    local few, few_speeds = { { 2, -3, 0 }, { 1, 3, 2 } }, { -3, 1, 2 }
    expect.equal("1 2 3", sends("greatest", 3, few, few_speeds))
    expect.equal("2 1 3", sends("planned", 3, few, few_speeds))
    expect.equal("2 1 3", sends(nil, 3, few, few_speeds))
    local many = { { 3, -1, -2, 1, 2, -3, 0, 1, -2, 3, 1 } }
    local many_speeds = { 1, -2, 3, -1, 2, 1, -3, 2, 1, -2, 3 }
    expect.equal(sends("optimal", 11, many, many_speeds), sends(nil, 11, many, many_speeds))
    expect.truthy(sends("greatest", 11, many, many_speeds) ~= sends(nil, 11, many, many_speeds))
  end)
  it("solves for 64 joints, and chooses among more whose speeds are given", function()
    for _, n in ipairs { 64, 65 } do
      local s = rt.ordering.open { joints = n, rows = 1 }
      local row, speeds = {}, {}
      for k = 1, n do row[k], speeds[k] = 1, k == n and 1 or 0 end
      expect.equal(s:pick({ row }, speeds, 0).joint, n)
      if n == 64 then
        expect.equal(s:choose({ row }, { 1 }, 0).kind, "send")
      else
        expect.raises("at most 64 joints", s.choose, s, { row }, { 1 }, 0)
      end
    end
  end)
  it("raises for what cannot be", function()
    for _, no in ipairs { {}, { joints = 0 }, { joints = 1.5 }, { joints = 2, order = "none" },
      { joints = 11, order = "planned" }, { joints = 2, colour = 1 }, { joints = 2, rows = 0 },
      { joints = 2, least = -1 }, { joints = 1e6 } } do
      expect.truthy(not pcall(rt.ordering.open, no))
    end
    local s = open()
    expect.truthy(not pcall(s.pick, s, { { 1 } }, { 1, 1, 1 }, 0))
    expect.truthy(not pcall(s.pick, s, J, { 1, 1 }, 0))
    expect.truthy(not pcall(s.lost, s, 4))
    expect.truthy(not pcall(s.sent, s, { kind = "send", joint = 0, value = 1 }, 0))
    expect.raises("value: want a finite number", s.sent, s, { kind = "send", joint = 1, value = 0 / 0 }, 0)
    s:__gc()
    s:__gc()
    expect.raises("gone", s.pick, s, J, { 1, 1, 1 }, 0)
    expect.raises("gone", s.due, s)
  end)
end)
