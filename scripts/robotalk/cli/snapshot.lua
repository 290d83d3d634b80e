local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local token = require "robotalk.token"

-- By the ending of the file.
local FORMATS = { jpg = "jpeg", jpeg = "jpeg", ppm = "rgb", pgm = "gray", png = "rgb" }

return {
  usage = "[ROBOT] [CAMERA] FILE.jpg [--width W] [--height H] [--quality Q] [--json]",
  options = {
    { "width", "W", "pixels at most", number = true },
    { "height", "H", "likewise", number = true },
    { "quality", "Q", "of the JPEG, 1 to 100 (default 80)", number = true },
    token.option,
    { "json", nil, "what was taken, as JSON" },
  },
  details = "FILE: its ending tells the format: .jpg or .jpeg; .png or .ppm pixels in colors, .pgm gray ones.\n"
    .. "The address may be one of RCTP, rctp://HOST/ROBOT.",
  example = "robotalk snapshot robotalk://localhost:7600 camera look.jpg",
  exits = "0 saved, 1 no picture, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local options = {}
    for name, most in pairs { width = 65535, height = 65535, quality = 100 } do
      local x = args[name]
      if x and not (x >= 1 and x <= most and x == math.floor(x)) then
        script.complain(("--%s: expected a whole number from 1 to %d"):format(name, most))
        return 2
      end
      options[name] = x and math.tointeger(x)
    end
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
    if not script.open {} then return 1 end
    local rt = require "robotalk"
    local where, name, file = #args > 1 and args[1] or "robotalk://localhost", #args > 2 and args[2] or nil, args[#args]
    local picture, size
    local ok, message = script.main(function()
      local robot <close>, why = rt.try_connect(where, { reconnect = false, role = "watch" })
      if not robot then script.fail(why) end
      local camera, trouble = robot:camera(name)
      if not camera then script.fail(trouble) end
      picture, trouble = camera:frame(options)
      if not picture then script.fail(trouble) end
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
