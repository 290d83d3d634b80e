#!/bin/bash
# Your arm in ten minutes (docs/arm.md), as someone without hardware reads it: its blocks one after the other, with the keys that it asks for, and
# what each one prints. A line of … stands for any lines, … in a line for any text; numbers may be off by 5 %.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"
need_opengl "the arm of docs/arm.md picked nothing"
build=$(dirname "$(realpath "$ROBOTALK")")
[ -x "$build/robotalk-servo-bus" ] || skip "there is no robotalk-servo-bus"
lua5.4 - docs/arm.md "$work" <<'LUA'
local page, folder = io.open(arg[1]):read "a", arg[2]
local function write(name, text)
  local file <close> = io.open(folder .. "/" .. name, "w")
  file:write(text, "\n")
end
local count = 0
for kind, block, after in page:gmatch "\n```(%l+)\n(.-)\n```\n()" do
  local name = block:match "^%-%- ([%w_]+%.lua)" or block:match "^# ([%w_]+%.sh)"
  if name then -- a busy machine answers late
    write(name, (block:gsub('driver = "servos",', "%0 timeout = 10, latency = 0.02,")))
  else
    assert(kind == "sh", kind)
    count = count + 1
    write(("%02d.block"):format(count), block)
    local want = {}
    for line in page:sub(after):gmatch "[^\n]+" do -- an indented block that follows
      if not line:find "^    " then break end
      want[#want + 1] = line
    end
    write(("%02d.want"):format(count), table.concat(want, "\n"))
  end
end
assert(count >= 8, count)
LUA
cat >"$work/compare.lua" <<'LUA'
local function lines_of(path)
  local text = io.open(path):read "a":gsub("\27%[[%d;?]*[Hl]", "\n"):gsub("\27[%[%]<>=?]*[%d;?<>=]*%a", ""):gsub("\r", "\n")
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end
local function same(want, got)
  local numbers = {}
  local pattern = want:gsub("[^%w%s…]", "%%%0"):gsub("%-?%d+%%?%.?%d*", function(number)
    numbers[#numbers + 1] = tonumber((number:gsub("%%", "")))
    return "(-?[%d.]+)"
  end):gsub("…", ".*")
  local found = { got:match("^%s*" .. pattern .. "%s*$") }
  if not found[1] then return false end
  for i, number in ipairs(numbers) do
    local x = tonumber(found[i])
    if not x or math.abs(x - number) > 0.05 * math.abs(number) + 1e-6 then return false end
  end
  return true
end
local at, got = 0, lines_of(arg[2])
for _, want in ipairs(lines_of(arg[1])) do
  want = want:match "^%s*(.-)%s*$"
  if want ~= "…" then
    repeat
      at = at + 1
      if not got[at] then io.stderr:write("not printed: ", want, "\n") os.exit(1) end
    until same(want, got[at])
  end
end
LUA
export PATH=$build:$PATH
cd "$work"
mkfifo keys.fifo
exec 8<>keys.fifo
shown() { says "$1" shown.t; }
play() { # play FUNCTION WORD…: the program at a terminal, where FUNCTION types
    : >shown.t
    script -qefc "stty cols 100 rows 30; exec robotalk ${*:2}" /dev/null <keys.fifo >shown.t &
    "$1" || { cat shown.t; kill $!; }
    wait $!
    cat shown.t
}
# hold PATTERN KEY: until that is shown; between two tries the key is let go, since after a late state nothing moves before that
hold() { eventually presses "$@"; }
presses() {
    for _ in {1..9}; do printf %b "$2" >&8 && sleep 0.03; done
    shown "$1" || { sleep 1; false; }
}
by_hand() {
    eventually shown 'Hold the robot' && printf '\r' >&8 &&
        eventually shown 'to the middle' && printf '\r' >&8 &&
        eventually shown 'whole ranges' && bash hand.sh && eventually shown 2673 && printf '\r' >&8
}
by_keys() {
    eventually shown 'left, right, A, D: move the joint' || return
    hold 'shoulder_pan .*+0\.[1-9]' '\033[C'
    printf '\003' >&8
}
by_leader() {
    eventually shown 'hold e to follow' || return
    echo 1 3.6 >leader_hand
    hold following e
    printf q >&8
}
# The simulated buses have made their links: the page's reader types more slowly than a busy machine starts them.
are_there() { { [ ! -p hand ] || [ -e arm_port ]; } && { [ ! -p leader_hand ] || [ -e leader_port ]; }; }
robotalk() {
    eventually are_there || return
    case "$*" in
    "calibrate follower.lua") play by_hand "$@" ;;
    "drive "*) play by_keys "$@" ;;
    "run leader_follower.lua "*) play by_leader "$@" ;;
    *) command robotalk "$@" ;;
    esac
}
exec 9>&2
trap '[ $? = 0 ] || cat "$work/got.t" >&9; clean_up' EXIT
for block in *.block; do
    cat "$block"
    . "./$block" >got.t 2>&1
    eventually lua5.4 compare.lua "${block%block}want" got.t
done
