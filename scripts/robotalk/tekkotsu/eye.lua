-- The values of a vision system for a ball, from the pictures of a robot's camera: the largest region of the ball's
-- color. Coordinates are Tekkotsu's, as those of robotalk.field, which computes the same for its balls: x from
-- -1, the left edge, to 1; y from -height / width, the top, to height / width; area as pixels * 4 / width^2.
local checked = require "robotalk.mistakes.checked"

-- Smallest width and height of a visible ball, and its smallest area, pixels (Tekkotsu, BallDetectionGenerator).
local eye = { LEAST = 3, LEAST_AREA = 7 }

local WAIT = 1        -- s for a picture
local DIAMETER = 0.08 -- m, of a ball
local QUALITY = 90    -- of JPEG over a network

local Eye = {}
Eye.__index = Eye

---Sees by a robot's camera, by default the first.
function eye.open(camera) return setmetatable({ camera = camera }, Eye) end

---A place in a picture, pixels from its top left corner, of generalised coordinates. high: height / width.
function eye.pixels(x, y, width, height)
  local high = height / width
  return (x + 1) / 2 * (width - 1), (y + high) / (2 * high) * (height - 1)
end

local function unseen(why, code) return { visible = false, frame = 0, why = why, code = code } end

local SEE = { camera = true, pixels = true, diameter = checked.period }

---The image of a ball in a robot's camera: visible; x, y of the middle of its box, its width and height, and area,
---generalised; clipped: it touches an edge; distance, m, of a ball of that diameter (0.08), right when it is not
---clipped; frame, the picture's number. why and code when the camera has no picture. options: camera, its name;
---pixels: x and y in pixels, from the upper left corner; diameter.
function Eye:see(robot, color, options)
  options = checked.options(options, SEE, "see")
  local camera, message, code = robot:camera(options.camera or self.camera)
  if not camera then return unseen(message, code) end
  local picture
  picture, message, code = camera:frame { format = robot.in_process and "rgb" or "jpeg", quality = QUALITY,
    timeout = WAIT }
  if not picture then return unseen(message, code) end
  local blob
  blob, message, code = picture:blob(color, { least = eye.LEAST_AREA })
  if not blob then return unseen(message, code) end
  if blob.width < eye.LEAST or blob.height < eye.LEAST then return { visible = false, frame = picture.number } end
  local width, height = picture.width, picture.height
  local pixel, high = 2 / width, height / width
  local seen = { visible = true, x = (blob.left + blob.width / 2) * pixel - 1,
    y = (blob.top + blob.height / 2) * pixel - high, width = blob.width * pixel, height = blob.height * pixel,
    area = blob.area * pixel * pixel, frame = picture.number,
    clipped = blob.left == 0 or blob.top == 0 or blob.left + blob.width == width or blob.top + blob.height == height }
  if camera.fov > 0 then
    seen.distance = (options.diameter or DIAMETER) / math.tan(camera.fov / 2) / seen.width
  end
  if options.pixels then seen.x, seen.y = eye.pixels(seen.x, seen.y, width, height) end
  return seen
end

return eye
