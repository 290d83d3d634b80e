-- Writes the manual page, robotalk.1, from what the verbs say of themselves: robotalk run manual.lua.
local core = require "robotalk.core"
local verbs = require "robotalk.cli.verbs"

local out = {}
local function p(form, ...) out[#out + 1] = select("#", ...) > 0 and form:format(...) or form end

-- Text as roff takes it: dashes are dashes, a line that begins with a dot or a quote is no request, and the rest of
-- Unicode goes by its numbers.
local function plain(text)
  text = text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("\n([.'])", "\n\\&%1"):gsub("^([.'])", "\\&%1")
  return (text:gsub("[\xC2-\xF4][\x80-\xBF]+", function(c) return ("\\[u%04X]"):format(utf8.codepoint(c)) end))
end

local function option(o)
  p(".TP\n.B %s", plain("--" .. o[1] .. (o[2] and " " .. o[2] or "")))
  p(plain(o[3]))
end

p('.TH ROBOTALK 1 "" "robotalk %s"', core.version)
p(".SH NAME\nrobotalk \\- a scriptable robot runtime")
p(".SH SYNOPSIS\n.B robotalk\n.I VERB\n[ARGUMENT \\[u2026]]\n.br\n.B robotalk\n[ROBOT]")
p(".SH DESCRIPTION\nExecutes time\\-stamped commands on any robot, from a prompt, a script or a client on the network.")
p("Without a verb: a prompt with a robot, a simulated Pioneer 2 unless one is named.")
for _, name in ipairs(verbs) do
  local verb = require("robotalk.cli." .. name)
  p(".SH %s\n.B robotalk %s\n%s\n.PP\n%s", name:upper(), name, plain(verb.usage), plain(verbs.summary(name)))
  if verb.details then p(".PP\n.nf\n%s\n.fi", plain(verb.details)) end
  for _, o in ipairs(verb.options) do option(o) end
  p(".PP\nExample:\n.B %s", plain(verb.example))
  p(".PP\nExit codes: %s", plain(verb.exits or "0 done, 1 failed, 2 wrong usage"))
end
p(".SH FILES\n.I ~/.local/state/robotalk/history\n.RS\nlines of the prompt\n.RE")
print(table.concat(out, "\n"))
