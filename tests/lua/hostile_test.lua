-- Servers that are wrong or mean ill: they can neither hold up a client nor fill it.
local rt = require "robotalk"
local core = require "robotalk.core"
local robot_module = require "robotalk.robot"

-- A connection whose configuration is what answer(offset, round) says.
local function connection(answer)
  local rounds = 0
  return { query = function(_, _, _, ask)
    rounds = rounds + 1
    rt.sleep(0.01)
    return answer(ask.offset, rounds)
  end }
end

local function piece(revision, size, count)
  return { revision = revision, size = size, count = count, bytes = ("x"):rep(count) }
end

describe("a configuration", function()
  it("that comes a byte at a time ends in time", function()
    local begin = rt.now()
    local bytes, _, code = robot_module.fetch(connection(function() return piece(1, 50000, 1) end), 1)
    expect.equal(nil, bytes)
    expect.equal("ETIMEOUT", code)
    expect.truthy(rt.now() - begin < 11)
  end)

  it("that is larger than any robot, or empty, is refused at once", function()
    for _, answer in ipairs { function() return piece(1, 1 << 32, 16384) end, function() return piece(1, 5, 0) end } do
      local bytes, why, code = robot_module.fetch(connection(answer), 1)
      expect.equal(nil, bytes)
      expect.equal("EBODY", code)
      expect.truthy(why:find "expected at most")
    end
  end)

  it("that changes all the time is given up", function()
    local bytes, why = robot_module.fetch(connection(function(_, round) return piece(round, 5, 5) end), 1)
    expect.equal(5, #bytes, why) -- the first piece was all of it
    local _, reason, code = robot_module.fetch(connection(function(_, round) return piece(round, 10, 5) end), 1)
    expect.equal("EBODY", code, reason)
  end)

  it("of any bytes makes a robot or an error in words, never a mistake of ours", function()
    local descriptor = require "robotalk.descriptor"
    local user = require "robotalk.descriptor.user"
    for _, name in ipairs { "pioneer2", "asimo", "arm004" } do
      local whole = core.configuration(descriptor.open(name).body)
      for _ = 1, 500 do
        local bytes = whole
        for _ = 1, 3 do
          local at = math.floor(core.random() * #bytes)
          bytes = bytes:sub(1, at) .. string.char(math.floor(core.random() * 256)) .. bytes:sub(at + 2)
        end
        local body, why = core.read_body(bytes)
        if body then
          local flat = core.records(body)
          user(flat)
          expect.equal(nil, flat.name:find "%c")
        else
          expect.truthy(why:find "configuration block")
        end
      end
    end
  end)
end)

describe("a configuration of a later version", function()
  it("has more in its header and records, which is skipped", function()
    local descriptor = require "robotalk.descriptor"
    for _, name in ipairs { "pioneer2", "asimo", "arm004" } do
      local body = descriptor.open(name).body
      local whole = core.configuration(body)
      local magic, version, header, size = string.unpack(">I4I2I2I4", whole)
      local first = { string.unpack((">" .. ("I4"):rep(8) .. ("I2"):rep(8)), whole, 13) }
      local head, parts, at = whole:sub(13 + 48, header) .. "more", {}, header + 4
      local offsets, sizes = {}, {}
      for i = 1, 8 do
        local from, to, bytes = first[i], first[i + 1], first[8 + i]
        if i == 8 then to = size end
        offsets[i], sizes[i] = at, bytes + i
        for k = from, to - 1, bytes do
          parts[#parts + 1] = whole:sub(k + 1, k + bytes) .. ("x"):rep(i)
          at = at + bytes + i
        end
      end
      local longer = string.pack(">I4I2I2I4" .. ("I4"):rep(8) .. ("I2"):rep(8), magic, version, header + 4, at,
        table.unpack(table.move(sizes, 1, 8, 9, offsets))) .. head .. table.concat(parts)
      local read, why = core.read_body(longer)
      expect.truthy(read, why)
      expect.equal(whole, core.configuration(read))
    end
  end)
end)

describe("a robot that is said to change all the time", function()
  it("is asked what it is one question at a time", function()
    local robot <close> = rt.connect("pioneer2")
    local asked, at_once, most = 0, 0, 0
    robot.refresh = function()
      asked, at_once = asked + 1, at_once + 1
      most = math.max(most, at_once)
      rt.sleep(0.05)
      at_once = at_once - 1
      return true
    end
    local tasks = require "robotalk.task"
    for revision = 1, 1000 do
      for _, listener in ipairs(robot.client.listeners) do listener("changed", 0, revision) end
      rt.sleep(0.01)
    end
    expect.equal(1, most)
    expect.truthy(asked > 10 and asked < 100, asked)
    expect.truthy(tasks.count() <= 1)
  end)
end)
