-- What the RoboTalk protocol asks the program: to describe a robot anew, which opens its drivers, and some are scripts.
local core = require "robotalk.core"
local reload = require "robotalk.reload"
local questions = require "robotalk.questions"
local say = require "robotalk.log".say

local EDEVICE = 19 -- its number

questions.handle("robotalk", function(question)
  if question.action ~= "reload" then return core.answer(question.number, false) end
  local name = core.records(question.body).name
  local ok, report, message, _, number = pcall(reload.become, question.body)
  if not ok then report, message = nil, report end
  if not report then
    say("warning", "robot %s goes on as it was: %s", name, message)
    return core.answer(question.number, true, number or EDEVICE, 0, 0, tostring(message))
  end
  say("info", "robot %s: described anew by a client; %d queued commands kept, %d dropped", name, report.kept,
    report.dropped)
  core.answer(question.number, true, 0, report.kept, report.dropped)
end)

return {}
