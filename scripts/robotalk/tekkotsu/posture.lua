-- Tekkotsu's posture files (.pos; Motion/PostureEngine): a value and a weight for each output, in lines of their own
-- or all in one ("condensed"). Read into a motion sequence, at its playhead.
local posture = {}

-- `outputs = v v v …` of a condensed posture, with `weights = w w w …` after it.
local function condensed(self, line, state)
  local name, rest = line:match "^%s*([%w-]+)[%s=]*(.*)$"
  if name ~= "outputs" and name ~= "weights" then return end -- buttons, sensors, duties: recorded values
  local values = {}
  for word in rest:gmatch "[^%s=]+" do
    local number = tonumber(word)
    if not number or number ~= number or math.abs(number) >= 1e9 then
      return self:wrong("expected numbers for %s, got %s", name, word:sub(1, 31))
    end
    values[#values + 1] = number
    if #values > #self.motion.outputs then
      return self:warn("%s has %d outputs, here are more: they are left out", self.motion.model, #self.motion.outputs)
    end
  end
  if name == "outputs" then
    state.values = values
    for i, value in ipairs(values) do self.motion:set(self.motion.outputs[i], self.time, value) end
  elseif not state.values then
    self:wrong "expected outputs before their weights"
  else
    for i, weight in ipairs(values) do
      local output, value = self.motion.outputs[i], state.values[i]
      if weight > 0 or self.explicit then
        self.motion:set(output, self.time, value, weight)
      elseif value then
        self.motion:clear(output, self.time)
      end
    end
  end
end

---Reads the lines of a posture with a reader of motion.lua.
function posture.read_lines(self, lines)
  local state, ended = {}, false
  for i = 2, #lines do
    self.line = i
    self.budget.lines = self.budget.lines - 1
    if self.budget.lines < 0 then return self:wrong "expected fewer lines" end
    if lines[i]:find "^#END" then
      ended = true
      break
    end
    local line = lines[i]:gsub("#.*", ""):gsub("=", " ")
    local words = {}
    for word in line:gmatch "[^ \t]+" do words[#words + 1] = word end
    local first = words[1]
    if first == "condensed" then
      state.condensed = true
    elseif first == "specialize" then
      state.other = words[2] ~= nil and not words[2]:gsub("-", ""):find(self.motion.model, 1, true)
    elseif first and first:find "^</" then
      state.condensed, state.section = false, nil
    elseif first and first:find "^<" then
      state.section = first:match "^<([%w-]+)"
    elseif first and not state.other then
      if state.condensed then condensed(self, lines[i]:gsub("#.*", ""), state)
      elseif not state.section or state.section == "outputs" then
        local weight = words[3] and tonumber(words[3])
        if weight ~= 0 or self.explicit then self:set(first, words[2], words[3]) end
      end
    end
  end
  if not ended then self:warn "expected #END at the end" end
end

return posture
