-- Where a film goes, before there is anything to see.
local film = require "robotalk.film"

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

  it("into a folder removes the pictures of the one before, and nothing else", function()
    assert(os.execute("mkdir " .. path))
    for _, name in ipairs { "00001.png", "00731.png", "plan.png", "123.png" } do touch(path .. "/" .. name) end
    expect.equal(0, (assert(film.begin(path, {})).count))
    expect.equal("false false true true", ("%s %s %s %s"):format(exists(path .. "/00001.png"),
      exists(path .. "/00731.png"), exists(path .. "/plan.png"), exists(path .. "/123.png")))
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
