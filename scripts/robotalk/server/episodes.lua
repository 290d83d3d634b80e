-- The episodes that a server records (docs/datasets.md): clients begin, keep and drop them by the query `episode`.
local core = require "robotalk.core"
local dataset = require "robotalk.dataset"
local say = require "robotalk.log".say
local task = require "robotalk.task"
local words = require "robotalk.dataset.session".words

local episodes = {}

local set, name, note -- of the data set; what the last action came to
local began -- instant at which the episode under way has begun

local function named() return set.text ~= "" and "task: " .. set.text or "" end

---Records those of a robot of this process from now on. options: those of dataset.create. true; nil, message, code.
function episodes.open(path, robot, options)
  options.robot = robot
  local made, message, code = dataset.create(path, options)
  if not made then return nil, message, code end
  set, name = made, robot:describe().name
  note = named() .. (made.note and (set.text ~= "" and "; " or "")
    .. "without ffmpeg the pictures stay JPEG files" or "")
  return true
end

local LOOK <const>, BEGIN <const>, KEEP <const>, DROP <const> = 0, 1, 2, 3

local ACTIONS <const> = {
  [LOOK] = function() return true end,
  [BEGIN] = function(text)
    if text ~= "" then set:task(text) end
    local ok, message, code = set:begin()
    if ok then began, note = core.now(), named() end
    return ok, message, code
  end,
  [KEEP] = function()
    began = nil
    local about, message, code = set:keep()
    note = about and words(set, about) or message
    if not about then say("warning", "episodes: %s", message) end
    return about, message, code
  end,
  [DROP] = function()
    local was = set.episode or set.begins
    set:drop()
    began, note = nil, was and "dropped" or note
    return true
  end,
}

-- An episode of which no more frames can be taken is over.
local function end_failed()
  local why = set.episode and set.episode.why
  if not why then return end
  set:drop()
  began, note = nil, "it failed: " .. why
  say("warning", "episodes: %s", note)
end

---Does what the action of the query `episode` says: { robot, recording, episodes, frames, length, note }; nil, message,
---code.
function episodes.act(action, text)
  if not set then return nil, "this server records no episodes: robotalk serve --episodes DIR", "ENONE" end
  end_failed()
  local ok, message, code = ACTIONS[action](text)
  if not ok then return nil, message, code end
  return { robot = name, recording = (set.episode or set.begins) and 1 or set.writes and 2 or 0,
    episodes = set.info.total_episodes, frames = set.info.total_frames, length = began and core.now() - began or 0,
    note = note }
end

---Drops the episode under way, and waits for one that is being written: nothing is recorded from now on.
function episodes.close()
  if not set then return end
  if set.writes then say("info", "episodes: one is being written") end
  while set.writes do task.sleep(0.05) end
  if set.episode then say("warning", "episodes: the one under way is dropped") end
  set:close()
  set, began = nil, nil
end

return episodes
