-- Writes the manual pages, one a verb, from what the verbs say of themselves: robotalk run manual.lua FOLDER, which has
-- servo_bus.txt, the help of robotalk-servo-bus, for a page of it.
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

-- Writes the page that was made, and begins the next one: its name, and what that is.
local folder, page = ..., nil
local function finish()
  if not page then return end
  local file <close> = assert(io.open(("%s/%s.1"):format(folder, page), "w"))
  file:write(table.concat(out, "\n"), "\n")
end
local function begin(name, summary)
  finish()
  page, out = name, {}
  p('.TH %s 1 "" "robotalk %s"', plain(name:upper()), core.version)
  p(".SH NAME\n%s \\- %s", plain(name), plain(summary))
end

begin("robotalk", "a scriptable robot runtime")
p(".SH SYNOPSIS\n.B robotalk\n.I VERB\n[ARGUMENT \\[u2026]]\n.br\n.B robotalk\n[ROBOT]")
p(".SH DESCRIPTION\nExecutes time\\-stamped commands on any robot, from a prompt, a script or a client on the network.")
p("Without a verb: a prompt with a robot, a simulated Pioneer 2 unless one is named. Each verb has a page of its own.")
for _, name in ipairs(verbs) do p(".TP\n.BR robotalk\\-%s (1)\n%s", name, plain(verbs.summary(name))) end
p(".SH FILES\n.I ~/.local/state/robotalk/history\n.RS\nlines of the prompt\n.RE")
for _, name in ipairs(verbs) do
  local verb = require("robotalk.cli." .. name)
  begin("robotalk-" .. name, verbs.summary(name))
  p(".SH SYNOPSIS\n.B robotalk %s\n%s", name, plain(verb.usage))
  if verb.details then p(".SH DESCRIPTION\n.nf\n%s\n.fi", plain(verb.details)) end
  if verb.options[1] then p(".SH OPTIONS") end
  for _, o in ipairs(verb.options) do option(o) end
  p(".SH EXIT STATUS\n%s", plain(verb.exits or "0 done, 1 failed, 2 wrong usage"))
  p(".SH EXAMPLES\n.B %s", plain(verb.example))
  p(".SH SEE ALSO\n.BR robotalk (1)")
end
begin("robotalk-servo-bus", "a simulated bus of serial servos behind a pseudo-terminal")
local bus <close> = assert(io.open(folder .. "/servo_bus.txt"))
p(".SH DESCRIPTION\n.nf\n%s\n.fi\n.SH SEE ALSO\n.BR robotalk\\-servos (1)", plain(bus:read "a"))
finish()
