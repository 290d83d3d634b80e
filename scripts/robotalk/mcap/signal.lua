-- Numbers in messages of JSON by their paths, as /joint_states.position[2]: [0] is the first of a list, [elbow] the
-- item whose name, or child_frame_id, is elbow.
local hint = require "robotalk.arguments".hint

local signal = {}

local function number_of(value)
  if type(value) == "boolean" then return value and 1 or 0 end
  return type(value) == "number" and value or nil
end

local function name_of(item) return type(item) == "table" and (item.name or item.child_frame_id) end

---Adds the numbers in a value to a list of { path, number }, sorted; true and false are 1 and 0.
function signal.flatten(value, path, list)
  path, list = path or "", list or {}
  if type(value) ~= "table" then
    local x = number_of(value)
    if x then list[#list + 1] = { path, x } end
    return list
  end
  local keys, named = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) == "number" end
    return a < b
  end)
  for _, key in ipairs(keys) do
    local step = (path == "" and "%s" or ".%s"):format(key)
    if type(key) == "number" then
      local name = name_of(value[key])
      local is_known = type(name) == "string" and not (named[name] or tonumber(name) or name:find "[][]")
      step = ("[%s]"):format(is_known and name or key - 1)
      named[name or 0] = true
    end
    signal.flatten(value[key], path .. step, list)
  end
  return list
end

---The topic of a signal, of the recording's channels, and the steps from its messages on; nil, message.
function signal.parse(text, channels)
  local topic
  for _, channel in ipairs(channels) do
    local name, rest = channel.topic, text:sub(#channel.topic + 1, #channel.topic + 1)
    if text:sub(1, #name) == name and (rest == "." or rest == "[" or rest == "")
      and (not topic or #name > #topic) then
      topic = name
    end
  end
  if not topic then
    local names = {}
    for i, channel in ipairs(channels) do names[i] = channel.topic end
    return nil, ("%s: there is no such topic%s are %s"):format(text, hint(text, names), table.concat(names, ", "))
  end
  local steps, at = {}, #topic + 1
  while at <= #text do
    local name, after = text:match("^%.?([^%.%[%]]+)()", at)
    local item, beyond = text:match("^%[([^%]]+)%]()", at)
    if not (name or item) then
      return nil, ("%s: expected TOPIC.field[0].field, as /joint_states.position[2]"):format(text)
    end
    steps[#steps + 1], at = name or { item }, after or beyond
  end
  return topic, steps
end

-- The item of a list by its number or its name.
local function item_of(list, key)
  local number = math.tointeger(tonumber(key))
  if number then return list[number + 1] end
  for _, item in ipairs(list) do
    if name_of(item) == key then return item end
  end
end

---The number there in a message's value; nil: there is none.
function signal.get(value, steps)
  for _, step in ipairs(steps) do
    if type(value) ~= "table" then return nil end
    if type(step) == "table" then value = item_of(value, step[1]) else value = value[step] end
  end
  return number_of(value)
end

---The signals of a recording, by the first JSON message of each topic: a list of texts. of: of this topic, without it.
function signal.list(recording, of)
  local topics, left, list = {}, 0, {}
  for _, channel in ipairs(recording:info().channels) do
    if channel.encoding == "json" and channel.messages > 0 and channel.topic == (of or channel.topic) then
      topics[channel.topic], left = true, left + 1
    end
  end
  for m in recording:messages() do
    if topics[m.topic] then
      topics[m.topic], left = nil, left - 1
      for _, number in ipairs(signal.flatten(m.value)) do
        list[#list + 1] = of and number[1] or m.topic .. (number[1]:find "^%[" and "" or ".") .. number[1]
      end
    end
    if left == 0 then break end
  end
  return list
end

return signal
