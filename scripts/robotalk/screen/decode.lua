-- Decodes the input of a terminal: bytes in pieces of any size into events. A space is always a key of its own, also
-- within a sequence that it cuts short, since it is the key for a panic.
--
-- An event: { key = NAME, kind = "press", "repeat" or "release" }, where NAME is a small letter or another character,
-- "space", "up", "down", "left", "right", "enter", "tab", "escape", "ctrl-c" …, with shift = true for a capital letter;
-- { focus = whether the window has it }; { kitty = flags } and { device = true }, which are answers to what
-- bindings/lua/screen.c asks.
local decode = {}
local Decoder = {}
Decoder.__index = Decoder

local ALONE <const> = 0.1 -- s without a further byte after which an ESC was a key, not the begin of a sequence
local LATE <const> = 1.0  -- s for which its rest may still come, over a bad link
local MOST <const> = 64   -- bytes of a sequence

local ARROWS <const> = { A = "up", B = "down", C = "right", D = "left" }
local NAMED <const> = { [9] = "tab", [13] = "enter", [27] = "escape", [127] = "backspace" }
local KINDS <const> = { "press", "repeat", "release" }

function decode.new() return setmetatable({ state = "ground", held = "", pasting = false }, Decoder) end

local function add(self, events, key, kind, shift)
  if self.pasting and key ~= "space" and key ~= "ctrl-c" then return end -- a paste presses no keys
  events[#events + 1] = { key = key, kind = kind or "press", shift = shift or nil }
end

-- The name of a key by its number: its character's.
local function name_of(code, control)
  if code == 32 then return "space" end
  if NAMED[code] then return NAMED[code] end
  if code < 33 or code > 126 then return nil end
  local letter = string.char(code):lower()
  return control and "ctrl-" .. letter or letter
end

-- A key in kitty's protocol, CSI code;modifiers:kind u; or a sequence that has modifiers and a kind too.
local function modifiers_of(parameters)
  local modifiers, kind = parameters:match "^[^;]*;(%d*):?(%d*)"
  local bits = (tonumber(modifiers) or 1) - 1
  return bits & 4 ~= 0, bits & 2 ~= 0, KINDS[tonumber(kind) or 1] or "press", bits & 1 ~= 0
end

local function end_csi(self, events, parameters, last)
  local control, alt, kind, shift = modifiers_of(parameters)
  if last == "~" then
    if parameters == "200" then self.pasting = true elseif parameters == "201" then self.pasting = false end
  elseif last == "u" and parameters:find "^%?" then
    events[#events + 1] = { kitty = tonumber(parameters:match "%d+") or 0 }
  elseif last == "u" then
    local key = name_of(tonumber(parameters:match "^%d+") or 0, control)
    if key and not alt or key == "space" then add(self, events, key, kind, shift) end
  elseif last == "c" then
    events[#events + 1] = { device = true }
  elseif parameters == "" and (last == "I" or last == "O") then
    events[#events + 1] = { focus = last == "I" }
  elseif ARROWS[last] then
    add(self, events, ARROWS[last], kind)
  end
end

local function ground(self, events, byte)
  self.state, self.held = "ground", ""
  if byte == 27 then
    self.state = "escape"
  elseif byte < 32 and not NAMED[byte] then
    add(self, events, byte == 0 and "ctrl-@" or "ctrl-" .. string.char(byte + 96):lower())
  else
    local key = name_of(byte)
    if key then add(self, events, key, nil, byte >= 65 and byte <= 90) end
  end
end

local steps = {}

steps.ground = ground

function steps.escape(self, events, byte)
  if byte == 91 then -- [
    self.state = "csi"
  elseif byte == 79 then -- O
    self.state = "ss3"
  elseif byte == 80 or byte == 88 or byte == 93 or byte == 94 or byte == 95 then -- P X ] ^ _: a text up to its end
    self.state = "text"
  else
    if not self.told then add(self, events, "escape") end
    if byte == 27 or self.told then ground(self, events, byte) else self.state = "ground" end
  end
  self.told = false
end

function steps.csi(self, events, byte)
  if byte < 32 then return ground(self, events, byte) end
  if self.held == "" and byte == 91 then -- a function key of the Linux console
    self.state = "swallow"
  elseif byte >= 64 and byte <= 126 then
    self.state = "ground"
    end_csi(self, events, self.held, string.char(byte))
    self.held = ""
  else
    self.held = self.held .. string.char(byte)
    if #self.held > MOST then self.state, self.held = "ground", "" end
  end
end

function steps.ss3(self, events, byte)
  if byte < 32 then return ground(self, events, byte) end
  self.state = "ground"
  if ARROWS[string.char(byte)] then add(self, events, ARROWS[string.char(byte)]) end
end

function steps.swallow(self) self.state = "ground" end

-- Ignored; its end is BEL or ESC \.
function steps.text(self, _, byte)
  if byte == 7 then self.state = "ground" elseif byte == 27 then self.state = "swallow" end
end

---The events of bytes that were received at that time.
function Decoder:feed(bytes, now)
  local events = self:tick(now)
  for i = 1, #bytes do
    local byte = bytes:byte(i)
    if byte == 32 then
      if self.state ~= "text" then self.state, self.held, self.told = "ground", "", false end
      add(self, events, "space")
    else
      steps[self.state](self, events, byte)
    end
  end
  self.heard = now
  return events
end

---The time at which tick has events without further input; nil: never.
function Decoder:due()
  if self.state == "ground" then return nil end
  return self.heard + (self.state == "escape" and not self.told and ALONE or LATE)
end

---The events of silence up to that time: a single ESC.
function Decoder:tick(now)
  local events = {}
  if self.state == "escape" and not self.told and now >= self.heard + ALONE then
    self.told = true
    add(self, events, "escape")
  end
  if self.state ~= "ground" and now >= self.heard + LATE then self.state, self.held, self.told = "ground", "", false end
  return events
end

return decode
