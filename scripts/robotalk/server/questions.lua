-- Queries of clients' protocols to the program: the server's thread handles the protocols, and sends queries that only
-- scripts can answer here. The module that answers for a protocol has its name (robotalk.gti) and is loaded with the
-- first query.
local core = require "robotalk.core"
local task = require "robotalk.task"

local questions = {}

local handlers = {} -- protocol -> function(question)

---Registers fn for a protocol: it is called with each question and must not wait. A question is a list of numbers with
---number, guest (a number for each connection), robot (of the address), action, text. core.answer(number, true, …) is
---the answer, then or later; the action "gone" is a connection's last.
function questions.handle(protocol, fn) handlers[protocol] = fn end

task.handle("question", function(number)
  local question = core.question(number)
  if not question then return end
  if not handlers[question.protocol] then pcall(require, "robotalk." .. question.protocol) end
  local handler = handlers[question.protocol]
  if handler then return handler(question) end
  core.answer(number, false)
end)

return questions
