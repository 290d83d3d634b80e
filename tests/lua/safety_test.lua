-- Each promise of docs/safety.md names tests: they are there, under that name.

describe("what is safe by default", function()
  local promises = 0
  for line in io.lines("docs/safety.md") do
    local promise, tests = line:match("^| (.-) | (`.*) |$")
    if promise then
      promises = promises + 1
      it(("has tests: %s"):format(promise:sub(1, 60)), function()
        for path, names in tests:gmatch("`([^`]+)` ([^;]+)") do
          local file <close> = assert(io.open(path))
          local text = file:read("a")
          for name in (names .. ", "):gmatch("(.-), ") do
            expect.truthy(text:find(name, 1, true), path .. ": " .. name)
          end
        end
      end)
    end
  end
  it("is more than a few lines", function() expect.truthy(promises >= 25) end)
end)
