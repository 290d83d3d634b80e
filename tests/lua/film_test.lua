-- Where a film goes, before there is anything to see.
local film = require "robotalk.pictures.film"

local function touch(path)
  assert(io.open(path, "w")):close()
end

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

describe("a film", function()
  local path
  before_each(function()
    path = os.tmpname()
    os.remove(path)
  end)
  after_each(function() os.execute("rm -r " .. path .. "*") end)

  it("into a folder removes the pictures of a longer one before, when it is made, and nothing else", function()
    assert(os.execute("mkdir " .. path))
    local names = { "00001.png", "00002.png", "00003.png", "00731.png", "plan.png" }
    local function all()
      local there = {}
      for i, name in ipairs(names) do there[i] = tostring(exists(path .. "/" .. name)) end
      return table.concat(there, " ")
    end
    for _, name in ipairs(names) do touch(path .. "/" .. name) end
    local one = assert(film.begin(path, {}))
    expect.equal(0, one.count)
    assert(one.writer.finish()) -- there was nothing to see
    expect.equal("true true true true true", all())
    assert(one.writer.add(("\0"):rep(3 * one.width * one.height), 1))
    assert(one.writer.finish())
    expect.equal("true false false true true", all())
  end)

  it("of a kind that it cannot be is no folder of that name", function()
    local made, message = film.begin(path .. ".avi", {})
    expect.equal(nil, made)
    expect.truthy(message:find("expected .gif, .mp4, .webm or .mkv, or the name", 1, true), message)
    expect.truthy(not exists(path .. ".avi"))
    assert(film.begin(path .. ".frames", {}))
    assert(film.begin(path .. "2", {}))
  end)
end)
