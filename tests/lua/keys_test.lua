-- Keys of a terminal: bytes in pieces as events, and which keys a hand holds.
local decode = require "robotalk.screen.decode"
local hand = require "robotalk.drive.hand"

-- Events as a text: "w up/release space focus+ …".
local function told(events)
  local words = {}
  for _, event in ipairs(events) do
    local shift, kind = event.shift and "^" or "", event.kind ~= "press" and "/" .. tostring(event.kind) or ""
    words[#words + 1] = event.key and event.key .. shift .. kind
      or event.kitty and "kitty" .. event.kitty or event.device and "device"
      or "focus" .. (event.focus and "+" or "-")
  end
  return table.concat(words, " ")
end

-- What pieces tell that come at those times, each { at, bytes }; at last what silence tells.
local function keys(pieces, until_)
  local decoder, events = decode.new(), {}
  local function add(more) table.move(more, 1, #more, #events + 1, events) end
  for _, piece in ipairs(pieces) do add(decoder:feed(piece[2], piece[1])) end
  if until_ then add(decoder:tick(until_)) end
  return told(events)
end

describe("bytes of a terminal", function()
  it("are keys", function()
    for bytes, want in pairs {
      ["wW"] = "w w^", ["+-=,.?1"] = "+ - = , . ? 1",
      [" "] = "space", ["\t\r\127"] = "tab enter backspace",
      ["\3\4\26"] = "ctrl-c ctrl-d ctrl-z",
      ["\27[A\27[B\27[C\27[D"] = "up down right left", ["\27OA\27OD"] = "up left", -- of both cursor modes
      ["\27[1;2A"] = "up", ["\27[5~\27[15~\27[H"] = "", ["\27[[A"] = "", ["\27OP"] = "", -- keys that mean nothing here
      ["\27[I\27[O"] = "focus+ focus-",
      ["\27[?11u\27[?62;4c"] = "kitty11 device",
      ["\27[119;1:1u\27[119;1:2u\27[119;1:3u"] = "w w/repeat w/release",
      ["\27[119u\27[87;2u\27[119;2:3u"] = "w w^ w^/release",
      ["\27[32u\27[32;1:3u\27[27u"] = "space space/release escape",
      ["\27[99;5u\27[97;3u"] = "ctrl-c", -- Alt and a letter is none
      ["\27[1;1:2A\27[1;1:3A"] = "up/repeat up/release",
      ["\27]0;title\7w"] = "w", ["\27Ptext\27\\w"] = "w", ["\xc3\xa4w"] = "w", ["\27w"] = "escape",
    } do expect.equal(want, keys { { 0, bytes } }, ("%q"):format(bytes)) end
  end)
  it("may be cut anywhere", function()
    local bytes = "w\27[A\27OB\27[119;1:3u\27[1;1:2C\27[200~ab\27[201~s"
    local whole = "w up down w/release right/repeat s"
    for at = 1, #bytes - 1 do
      expect.equal(whole, keys { { 0, bytes:sub(1, at) }, { 0.05, bytes:sub(at + 1) } }, "at " .. at)
    end
    local single = {}
    for at = 1, #bytes do single[at] = { at / 100, bytes:sub(at, at) } end
    expect.equal(whole, keys(single))
  end)
  it("are an escape when it stands alone, and an arrow when the rest is late", function()
    expect.equal("", keys({ { 0, "\27" } }, 0.05))
    expect.equal("escape", keys({ { 0, "\27" } }, 0.2))
    expect.equal("escape", keys({ { 0, "\27" } }, 2))
    expect.equal("escape up", keys { { 0, "\27" }, { 0.5, "[A" } }) -- and no A
    expect.equal("escape w", keys { { 0, "\27" }, { 0.5, "w" } })
    expect.equal("escape a", keys { { 0, "\27" }, { 1.5, "a" } })
    expect.equal("escape up", keys { { 0, "\27\27[A" } })
    expect.equal("a", keys { { 0, "\27[" }, { 1.5, "a" } }) -- a sequence without an end does not eat keys for ever
  end)
  it("press no keys in a paste, but a space is a space anywhere", function()
    expect.equal("s", keys { { 0, "\27[200~wwwdq\27[As\27[201~s" } })
    expect.equal("space", keys { { 0, "\27[200~w w" } })
    expect.equal("ctrl-c", keys { { 0, "\27[200~\3" } })
    expect.equal("space", keys { { 0, "\27 " } })
    expect.equal("space w", keys { { 0, "\27[1; w" } })
    expect.equal("space", keys { { 0, "\27]0;a title" } })
  end)
  it("of any kind harm nobody", function()
    local decoder, seed = decode.new(), 1
    for i = 1, 20000 do
      seed = (seed * 1103515245 + 12345) % 2147483648
      decoder:feed(string.char(seed >> 16 & 255), i / 1000)
      expect.equal(true, #decoder.held <= 65)
    end
  end)
end)

-- How long after the last of these instants a key is held that comes at each of them, and whether it was let go
-- between.
local function hold(times, h)
  h = h or hand.new(true)
  local gone = false
  for i, at in ipairs(times) do
    if i > 1 and not h:holds("w", at - 1e-6) then gone = true end
    h:press("w", at)
  end
  return h:due(times[#times]) - times[#times], gone, h
end

-- Repeats as a keyboard gives them: the first after 0.5 s, the others 33 ms apart, each later by what late(i) says.
local function repeats(seconds, late)
  local times = { 0 }
  for i = 0, math.floor((seconds - 0.5) / 0.033) do
    local at = 0.5 + i * 0.033 + (late and late(i) or 0)
    times[#times + 1] = math.max(at, times[#times]) -- what was held up comes in a bunch
  end
  return times
end

describe("a hand", function()
  it("holds a key that is tapped for a while", function() expect.near(0.7, (hold { 0 }), 1e-9) end)
  it("holds what repeats, from the slowest first repeat on", function()
    for _, first in ipairs { 0.25, 0.5, 0.66 } do
      local _, gone = hold { 0, first, first + 0.033, first + 0.066 }
      expect.equal(false, gone, "first repeat after " .. first)
    end
  end)
  it("lets go the sooner, the more evenly the repeats come", function()
    local left, gone = hold(repeats(10))
    expect.equal(false, gone)
    expect.near(0.15, left, 1e-9)
    left = hold(repeats(0.6))
    expect.equal(true, left <= 0.5)
  end)
  it("holds over a link that keeps its packages for 400 ms", function()
    local function late(i) return i % 30 == 20 and 0.4 or 0 end -- the rest of that bunch waits behind it
    local times = repeats(20, late)
    local left, gone = hold(times)
    expect.equal(false, gone)
    expect.equal(true, left > 0.4 and left <= 0.5)
  end)
  it("lets go sooner at the machine itself", function()
    expect.equal(true, hold(repeats(0.6), hand.new()) <= 0.2)
    local _, gone = hold(repeats(20), hand.new())
    expect.equal(false, gone)
  end)
  it("forgets that the link was bad", function()
    local _, _, h = hold(repeats(3, function(i) return i % 30 == 20 and 0.4 or 0 end))
    h:clear()
    local times = repeats(20)
    for i in ipairs(times) do times[i] = times[i] + 10 end
    expect.near(0.15, (hold(times, h)), 1e-9)
  end)
  it("believes a terminal that tells of releases, until it says nothing at all", function()
    local h = hand.new()
    h.releases = true
    h:press("w", 0)
    expect.equal(true, h:holds("w", 0.7))
    h:press("d", 0.7)
    expect.equal(true, h:holds("w", 1.4) and h:holds("d", 1.4))
    h:release("d", 1.4)
    expect.equal(true, h:holds("w", 2.1))
    expect.equal(false, h:holds("d", 1.5))
    expect.near(2.2, h:due(1.5), 1e-9)
    expect.equal(false, h:holds("w", 2.3))
  end)
end)
