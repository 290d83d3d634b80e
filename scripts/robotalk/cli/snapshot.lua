local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"
local views = require "robotalk.pictures.views"

-- By the ending of the file.
local FORMATS = { jpg = "jpeg", jpeg = "jpeg", ppm = "rgb", pgm = "gray", png = "rgb" }

local VIEW <const> = "expected world, or six numbers in m, X,Y,Z,X,Y,Z: from where, to where"

-- The view of the world from there, with that number of pixels.
local function look(text, options)
  local film = require "robotalk.pictures.film"
  local place, view = {}, film.view_of_world()
  for x in text:gmatch "[^,%s]+" do place[#place + 1] = tonumber(x) end
  if #place == 6 then view = { from = { table.unpack(place, 1, 3) }, to = { table.unpack(place, 4, 6) } } end
  local wide, high = options.width, options.height
  local picture, why = views.look { from = view.from, to = view.to, fine = true,
    width = wide or high and high * 4 // 3 or 640, height = high or wide and (wide * 3 + 3) // 4 or 480 }
  if not picture then script.fail(why) end
  picture.camera, picture.number, picture.age = "world", 1, 0
  return picture
end

-- Whether a view is valid.
local function is_view(text)
  local count = 0
  for word in text:gmatch "[^,%s]+" do
    local x = tonumber(word)
    count = x and x - x == 0 and count + 1 or 7
  end
  return text == "world" or count == 6
end

-- A picture of the robot's camera.
local function frame(robot, name, options)
  local camera, why = robot:camera(name)
  if not camera then script.fail(why) end
  local picture, trouble = camera:frame(options)
  if not picture then script.fail(trouble) end
  return picture
end

return {
  usage = "[ROBOT] [CAMERA] FILE.jpg [--world FILE] [--view VIEW] [--width W] [--height H] [--quality Q] [--json]",
  options = {
    { "width", "W", "maximum width, pixels", number = { 1, 65535, whole = true } },
    { "height", "H", "maximum height, pixels", number = { 1, 65535, whole = true } },
    { "quality", "Q", "quality of the camera's JPEG, 1 to 100 (default 80)",
      number = { 1, 100, whole = true } },
    script.WORLD,
    script.PHYSICS,
    { "view", "VIEW", "the world instead of the robot's camera: X,Y,Z,X,Y,Z, the viewpoint, and the point in the\n"
      .. (" "):rep(25) .. "middle, m; or world: as the world's file says" },
    token.option,
    { "json", nil, "prints the result as JSON" },
  },
  details = "FILE: its ending tells the format: .jpg or .jpeg; .png or .ppm pixels in colors, .pgm gray ones.\n"
    .. "The address may be one of RCTP, rctp://HOST/ROBOT.\n"
    .. "In a world or with a view the robot (pioneer2 unless said) is one of this process, with physics, by which\n"
    .. "cameras see; without a camera of its own the picture is the world's view.",
  example = "robotalk snapshot robotalk://localhost:7600 camera look.jpg",
  exits = "0 saved, 1 no picture, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local options = { width = args.width, height = args.height, quality = args.quality }
    if #args < 1 or #args > 3 then
      script.complain(("snapshot: want a robot, its camera and a file, got %d names"):format(#args))
      return 2
    end
    local ending = args[#args]:lower():match "%.(%w+)$"
    if not FORMATS[ending] then
      script.complain(("snapshot: want a file for the picture at the end, .jpg, .jpeg, .png, .ppm or .pgm, got %s")
        :format(args[#args]))
      return 2
    end
    options.format = FORMATS[ending]
    local view, inside = args.view, args.world or args.physics or args.view or nil
    local where = #args > 1 and args[1] or inside and "pioneer2" or "robotalk://localhost"
    local name, file = #args > 2 and args[2] or nil, args[#args]
    local wrong = view and not is_view(view) and ("--view: %s, got %s"):format(VIEW, view)
      or view and FORMATS[ending] == "gray" and "--view: a .pgm is gray, and the world has colors"
      or inside and where:find "^[%w+]+:" and ("--world, --physics and --view: want a robot of this process, got %s")
        :format(where)
    if wrong then
      script.complain(wrong)
      return 2
    end
    if not script.open { virtual = inside ~= nil } or not script.surround(args.world) then return 1 end
    script.physics(inside ~= nil)
    local rt = require "robotalk"
    local picture, size
    local ok, message = script.main(function()
      local robot <close>, why = rt.try_connect(where, { reconnect = false, role = "watch" })
      if not robot then script.fail(why) end
      local blind = inside and not name and FORMATS[ending] ~= "gray" and #robot:describe().cameras == 0
      if blind then view = view or "world" end
      picture = view and look(view, options) or frame(robot, name, options)
      local saved
      saved, size = picture:save(file)
      if not saved then script.fail(size) end
    end)
    if not ok then
      script.complain(("%s: %s"):format(where, message))
      return 1
    end
    if args.json then
      core.say("out", json.encode(json.record({}, { file = file, camera = picture.camera, number = picture.number,
        width = picture.width, height = picture.height, bytes = size, age_s = picture.age })) .. "\n")
    else
      core.say("out", ("%s: picture %d of %s, %d x %d, %d bytes, %.0f ms old\n"):format(file, picture.number,
        picture.camera, picture.width, picture.height, size, picture.age * 1e3))
    end
    return 0
  end,
}
