-- Common code of experiments: a world of their own, and files for the results.
local core = require "robotalk.core"
local shell = require "robotalk.shell"
local task = require "robotalk.task"

local experiment = {}

---Opens a world ({ virtual =, seed = }) and runs fn(...) in it as the main task: its first result. Passes on errors
---of fn.
function experiment.run(world, fn, ...)
  assert(core.open(world))
  require "robotalk.modes".install()
  local main = task.spawn(fn, ...)
  main.watched = true
  task.run_main(main)
  if main.state ~= "done" then error(main.message or main.state, 0) end
  return main.results[1]
end

---Makes a folder, with its parents; raises when it cannot.
function experiment.folder(path)
  local made, why = shell.make_folder(path)
  if not made then error(why, 0) end
end

---Removes a folder that an experiment has made, with its contents.
experiment.remove = shell.remove

---Writes a file, whole; raises when it cannot.
function experiment.write(path, text)
  local ok, why = core.write_file(path, text)
  if not ok then error(why, 0) end
end

return experiment
