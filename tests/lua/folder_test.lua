-- The driver folder: a camera that sees the pictures of a folder.
local rt = require "robotalk"
local drivers = require "robotalk.drivers"

local function write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

-- fn(robot, folder) with a robot whose camera sees a folder, of these files.
local function with(files, fn)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  for name, bytes in pairs(files) do write(folder .. "/" .. name, bytes) end
  local name = assert(rt.add_robot { name = "reader", base = {}, links = { [0] = { name = "hull" } },
    cameras = { { name = "eye", link = "hull", driver = "eye", rate = 10 } },
    drivers = { eye = { driver = "folder", folder = folder } } })
  local _ <close> = setmetatable({}, { __close = function()
    drivers.remove(name)
    os.execute("rm -r " .. folder)
  end })
  local robot <close> = rt.connect("local:" .. name)
  fn(robot, folder)
end

-- A JPEG of that width.
local function jpeg(width)
  local robot <close> = rt.connect "pioneer2"
  return robot:camera():frame({ width = width }).bytes
end

describe("the driver folder", function()
  it("shows its pictures in the order of their names, round and round", function()
    local large, small = jpeg(320), jpeg(80)
    with({ ["b.jpg"] = small, ["a.JPEG"] = large, ["c.txt"] = "no picture" }, function(robot, folder)
      local camera, seen, last = robot:camera(), {}, nil
      for i = 1, 5 do
        if i == 4 then write(folder .. "/0.jpg", small) end -- the next round has it
        last = assert(camera:frame { newer = last })
        seen[i] = last.width
      end
      expect.equal(table.concat(seen, " "), "320 80 320 80 80")
      expect.equal(last.bytes, small) -- as it is in the file
      expect.equal(camera:frame({ width = 40 }).width, 40)
    end)
  end)

  it("leaves out what is no picture, and says so", function()
    local good = jpeg(80)
    with({ ["a.jpg"] = "", ["b.jpg"] = good:sub(1, #good // 2), ["c.jpg"] = good, ["d.jpg"] = "\xff\xd8 no" },
      function(robot)
        for _ = 1, 3 do expect.equal(robot:camera():frame().bytes, good) rt.sleep(0.2) end
      end)
    with({ ["a.jpg"] = "none" }, function(robot)
      local picture, _, code = robot:camera():frame()
      expect.equal(picture, nil)
      expect.equal(code, "NA")
    end)
  end)
end)
