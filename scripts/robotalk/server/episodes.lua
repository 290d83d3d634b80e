-- The episodes that a server records (docs/datasets.md): clients begin, keep and drop them by the query `episode`.
local core = require "robotalk.core"
local dataset = require "robotalk.dataset"
local words = require "robotalk.dataset.session".words

local episodes = {}

local set, name, note -- of the data set; what the last action came to
local began, writes -- instant at which the episode under way has begun; whether one is being written

---Records those of a robot of this process from now on. options: those of dataset.create. true; nil, message, code.
function episodes.open(path, robot, options)
  options.robot = robot
  local made, message, code = dataset.create(path, options)
  if not made then return nil, message, code end
  set, name, note = made, robot:describe().name, made.note or ""
  return true
end

local ACTIONS <const> = {
  [0] = function() return true end,
  function(text)
    if text ~= "" then set:task(text) end
    local ok, message, code = set:begin()
    if ok then began, note = core.now(), "" end
    return ok, message, code
  end,
  function()
    began, writes = nil, began ~= nil
    local about, message, code = set:keep()
    writes = false
    if about then note = words(set, about) end
    return about, message, code
  end,
  function()
    set:drop()
    began, note = nil, began and "dropped" or note
    return true
  end,
}

---Does what the action of the query `episode` says: { robot, recording, episodes, frames, length, note }; nil, message,
---code.
function episodes.act(action, text)
  if not set then return nil, "this server records no episodes: robotalk serve --episodes DIR", "ENONE" end
  local ok, message, code = ACTIONS[action](text)
  if not ok then return nil, message, code end
  return { robot = name, recording = began and 1 or writes and 2 or 0, episodes = set.info.total_episodes,
    frames = set.info.total_frames, length = began and core.now() - began or 0, note = note }
end

---Drops the episode under way: nothing is recorded from now on.
function episodes.close()
  if set then set:close() end
  set, began = nil, nil
end

return episodes
