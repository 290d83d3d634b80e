-- The log: many lines of one kind are counted, not written.
local rt = require "robotalk"
local core = require "robotalk.core"
local log = require "robotalk.log"

-- The lines that fn writes.
local function lines_of(fn)
  local before, lines = core.log, {}
  core.log = function(text) lines[#lines + 1] = text end
  local _ <close> = setmetatable({}, { __close = function() core.log = before end })
  fn(lines)
  return lines
end

describe("a line of the log", function()
  it("has no control characters", function()
    local lines = lines_of(function() log.say("info", "%s drives\n  now", "a\27[2J\u{9B}31m\xff") end)
    expect.equal("robotalk: info: a\u{FFFD}[2J\u{FFFD}31m\u{FFFD} drives\n  now\n", lines[1])
  end)
end)

describe("a log that is limited", function()
  it("writes the first lines and one a second after, and counts the others", function()
    local lines = lines_of(function()
      local say = log.limited(5)
      for i = 1, 1000 do
        say("info", "line %d", i)
        rt.sleep(0.01)
      end
      rt.sleep(2)
    end)
    local written, counted = 0, 0
    for _, line in ipairs(lines) do
      local n = tonumber(line:match "(%d+) more lines of this kind were left out")
      if n then counted = counted + n else written = written + 1 end
    end
    expect.equal(1000, written + counted)
    expect.truthy(written >= 14 and written <= 15, written)
    expect.truthy(#lines < 40, #lines)
  end)

  it("counts also when nothing follows", function()
    local lines = lines_of(function()
      local say = log.limited(1)
      for _ = 1, 3 do say("info", "100 %% of it") end
      rt.sleep(2)
    end)
    expect.equal("robotalk: info: 100 %% of it\n", lines[1])
    expect.equal("robotalk: warning: 2 more lines of this kind were left out\n", lines[2])
    expect.equal(nil, lines[3])
  end)
end)
