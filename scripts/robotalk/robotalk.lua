-- Queries of the RoboTalk protocol to the program: to change the description of a robot, which opens its drivers, and
-- some are scripts; to list, start, end and replace the scripts of the server; and to record episodes.
local core = require "robotalk.core"
local episodes = require "robotalk.server.episodes"
local supervisor = require "robotalk.server.supervisor"
local reload = require "robotalk.server.reload"
local questions = require "robotalk.server.questions"
local task = require "robotalk.task"
local say = require "robotalk.log".say

-- Numbers of errors.
local NUMBERS <const> = { EINVAL = 1, ENOMEM = 2, ENONE = 4, ETIMEOUT = 15, EBUSY = 18, EEXISTS = 18, EDEVICE = 19,
  ESYSTEM = 21 }
-- Bytes of a script's file and of its failure that fit into an answer, besides its other fields.
local FILE <const>, WHY <const> = 80, 110

local actions = {}

function actions.reload(question)
  local name = core.records(question.body).name
  local ok, report, message, _, number = pcall(reload.become, question.body)
  if not ok then report, message = nil, report end
  if not report then
    say("warning", "robot %s goes on as it was: %s", name, message)
    return core.answer(question.number, true, number or NUMBERS.EDEVICE, 0, 0, tostring(message))
  end
  say("info", "robot %s: described anew by a client; %d queued commands kept, %d dropped", name, report.kept,
    report.dropped)
  core.answer(question.number, true, 0, report.kept, report.dropped)
end

-- A line of an answer, without line breaks.
local function line_of(text) return (text:gsub("%c.*", "")) end

function actions.script(question)
  local one = supervisor.list()[math.tointeger(question[1]) + 1]
  if not one then return core.answer(question.number, true, NUMBERS.ENONE, 0, 0, 0, 0) end
  local words = { one.name, one.state, one.restart, line_of(one.file):sub(-FILE), line_of(one.why):sub(1, WHY) }
  core.answer(question.number, true, 0, one.starts, one.since, one.memory, one.seconds, table.concat(words, "\n"))
end

for _, what in ipairs { "start", "stop", "reload" } do
  actions["script_" .. what] = function(question)
    task.spawn(function()
      local name, who = question.text:match "^(.-)\n(.*)$"
      local known = supervisor.has(name) -- invented names are not logged
      if known then say("info", "script %s: %s, as %s asks", name, what, who:gsub("%c", "?")) end
      local ok, why, code = supervisor[what](name)
      if known and not ok then say("warning", "script %s: %s has failed: %s", name, what, why) end
      core.answer(question.number, true, ok and 0 or NUMBERS[code] or NUMBERS.ESYSTEM, ok and "" or why)
    end).background = true -- it waits until that is done
  end
end

function actions.episode(question)
  task.spawn(function()
    local status, why, code = episodes.act(math.tointeger(question[1]), question.text:match "^[^\n]*")
    local words = status and status.robot .. "\n" .. line_of(status.note):sub(1, WHY) or why
    status = status or {}
    core.answer(question.number, true, why and (NUMBERS[code] or NUMBERS.ESYSTEM) or 0, status.recording or 0,
      status.episodes or 0, status.frames or 0, status.length or 0, words)
  end).background = true -- it waits until that is done
end

questions.handle("robotalk", function(question)
  local action = actions[question.action]
  if action then return action(question) end
  core.answer(question.number, false)
end)

return {}
