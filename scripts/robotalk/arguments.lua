-- Reads the words of a command line by a table of options: of the verbs, and of scripts that have options.
-- Whether a word is another with one letter too many, too few or wrong, or two exchanged; dashes count for nothing.
local function is_nearly(a, b)
  a, b = a:gsub("[-_]", ""), b:gsub("[-_]", "")
  while a ~= "" and a:byte() == b:byte() do a, b = a:sub(2), b:sub(2) end
  while a ~= "" and a:byte(-1) == b:byte(-1) do a, b = a:sub(1, -2), b:sub(1, -2) end
  return #a <= 1 and #b <= 1 or #a == 2 and a == b:reverse()
end

-- The option that a word behind a script was perhaps meant for, or nil.
local function misspelt(verb, word)
  local name = word:match("^%-+([%a_-][%w_-]+)")
  for _, option in ipairs(verb.options) do
    if name and not option.harmless and is_nearly(name, option[1]) then return option[1] end
  end
end

-- The number of an option's text: any, or { least, most, whole = } of which what is not said does not count; nil, why.
local function number_of(text, option)
  local bounds = type(option.number) == "table" and option.number or {}
  local least, most, x = bounds[1], bounds[2], tonumber(text)
  if x and bounds.whole then x = math.tointeger(x) end
  if x and math.abs(x) <= 2 ^ 53 and x >= (least or x) and x <= (most or x) then return x end -- NaN fails too
  if not least then return nil, ("--%s wants a number, at most 2^53"):format(option[1]) end
  return nil, ("--%s: expected %s, %g %s, got %s"):format(option[1], bounds.whole and "a whole number" or "a number",
    least, most and ("to %g"):format(most) or "or more", text)
end

local arguments = {}

---A suggestion for a word, for the end of a message.
function arguments.hint(word, words)
  local other = require "robotalk.mistakes.near"(word, words) -- seldom needed
  return other and (", did you mean %s? There"):format(other) or "; there"
end

---The arguments among words: { 1 = first argument, …, option = value or true }; nil and why when one is not known.
---verb: options, a list of { NAME, VALUE or nil, doc, number =, many =, otherwise = }; short, further names; script:
---its first argument is one, which gets what the verb does not know.
function arguments.read(verb, words)
  local known, args, i = {}, {}, 1
  for _, option in ipairs(verb.options) do known[option[1]] = option end
  if verb.short then for short, long in pairs(verb.short) do known[short] = known[long] end end
  while i <= #words do
    local word = words[i]
    local name, value = word:match("^%-%-([%w-]+)=(.*)$")
    name = name or word:match("^%-%-([%w-]+)$") or word:match("^%-(%a)$")
    if word == "--" then
      table.move(words, i + 1, #words, #args + 1, args)
      break
    elseif verb.script and #args > 0 and not (name and known[name]) then
      -- after a script, what the verb does not know is the script's
      local meant = misspelt(verb, word)
      if meant then return nil, ("%s: did you mean --%s? The script's own words go after --"):format(word, meant) end
      args[#args + 1] = word
    elseif word == "--help" then
      args.help = true
    elseif name then
      local option = known[name]
      if not option then
        local names = {}
        for _, o in ipairs(verb.options) do names[#names + 1] = "--" .. o[1] end
        local list = table.concat(names, ", ")
        table.move({ "--help", "--version" }, 1, 2, #names + 1, names)
        return nil, ("there is no option %s%s are %s"):format(word, arguments.hint("--" .. name, names), list)
      end
      if option[2] then
        value = value or option.otherwise
        if not value then
          i = i + 1
          value = words[i]
        end
        if not value then return nil, ("--%s wants %s"):format(option[1], option[2]) end
        if option.number then
          local why
          value, why = number_of(value, option)
          if not value then return nil, why end
        end
        if option.many then
          args[option[1]] = args[option[1]] or {}
          table.insert(args[option[1]], value)
        else
          args[option[1]] = value
        end
      else
        args[option[1]] = true
      end
    else
      args[#args + 1] = word
    end
    i = i + 1
  end
  return args
end

return arguments
