-- Pictures at the prompt: of the robot's cameras, and of its world.
local film = require "robotalk.pictures.film"
local views = require "robotalk.pictures.views"

local look = {}

-- A picture, and its name: of the camera of that name (nil: the first), or of the world.
local function taken(robot, what)
  local camera, why, code = robot:camera(what)
  if camera then
    local picture
    picture, why, code = camera:frame()
    return picture, picture and camera.name or why, code
  end
  if what ~= "world" then return nil, why, code end
  local view = film.view_of_world()
  local picture, trouble, number = views.look { from = view.from, to = view.to, width = 640, height = 480, fine = true }
  return picture, picture and what or trouble, number
end

---The value of `snapshot` at the prompt: a function(what, file) that saves a picture of the camera of that name (nil:
---the first), or of the "world", and returns the file and the size. nil, message, code.
function look.snapshot(robot)
  return function(what, file)
    local picture, name, code = taken(robot, what)
    if not picture then return nil, name, code end
    file = file or name .. ".jpg"
    local ok, why, error = picture:save(file)
    if not ok then return nil, why, error end
    return ("%s, %d x %d pixels"):format(file, picture.width, picture.height)
  end
end

return look
