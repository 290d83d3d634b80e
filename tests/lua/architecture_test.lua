-- What docs/architecture.md names is there; and it names every thread and every lock.
local PAGE = "docs/architecture.md"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local function lines_of(command)
  local pipe <close> = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  return lines
end

local function is_path(name) return name:find "/" ~= nil or name:find "^%w+%.md$" ~= nil end

-- Whether a text has that name as a whole word.
local function has(text, name)
  local pattern = name:gsub("%p", "%%%0")
  return text:find("%f[%w_]" .. pattern .. "%f[^%w_]") ~= nil
end

-- The texts of all rows and paragraphs, without the blocks of commands.
local function paragraphs()
  local list, block = {}, false
  for line in (read(PAGE) .. "\n"):gmatch "(.-)\n" do
    if line:find "^```" then block = not block
    elseif line == "" or block or line:find "^[|#]" or line:find "^%d+%. " then list[#list + 1] = block and "" or line
    else list[#list] = list[#list] .. " " .. line end
  end
  return list
end

describe("docs/architecture.md", function()
  local names = 0
  for _, text in ipairs(paragraphs()) do
    if text:find "`" then
      it(("tells of what is there: %s"):format(text:sub(1, 60)), function()
        local path, source
        for name in text:gmatch "`([^`]+)`" do
          names = names + 1
          if is_path(name) then
            path, source = name, name:find "/$" == nil and name
            local file <close> = io.open(name)
            expect.truthy(file, name .. " is not there")
          elseif name ~= "local:" and name ~= "rt.serve" and name ~= "math" and name ~= 'require "robotalk"' then
            expect.truthy(source, name .. ": no file is named before it")
            expect.truthy(has(read(source), name), ("%s has no %s"):format(path, name))
          end
        end
      end)
    end
  end
  it("names more than a few", function() expect.truthy(names > 150) end)

  for what, pattern in pairs { thread = "pthread_create(", lock = "pthread_mutex_t " } do
    it(("names each file that has a %s"):format(what), function()
      local page = read(PAGE)
      for _, path in ipairs(lines_of(("grep -rlF '%s' core protocols drivers bindings"):format(pattern))) do
        expect.truthy(page:find("`" .. path .. "`", 1, true), ("%s has a %s: tell of it"):format(path, what))
      end
    end)
  end
end)

describe("docs/c.md", function()
  it("has each public header in one of its tables", function()
    local page, headers = read "docs/c.md":match "^.-\n## Functions", lines_of "ls core/robotalk/*.h"
    for _, path in ipairs(headers) do
      local name = path:match "^core/(.*)"
      expect.truthy(page:find("\n| `" .. name .. "` | ", 1, true), name .. " is in no table")
    end
    expect.truthy(#headers > 20)
  end)
end)
