#!/bin/bash
# However a run ends, its film is one that can be read to its end.
. "${BASH_SOURCE%/*}/lib.sh"
need_opengl "no film was made"
cat >"$work/does.lua" <<'LUA'
local rt = require "robotalk"
local robot = rt.connect "pioneer2"
robot:set_speed { x = 0.1 }
local does = {
  returns = function() end,
  gives_up = function() return false end,
  fails = function() error "no light" end,
  leaves = function() os.exit(tonumber(arg[2])) end,
  leaves_elsewhere = function()
    rt.spawn(coroutine.wrap(os.exit), 5)
    rt.sleep(1)
  end,
  uses_memory = function() return ("x"):rep(1 << 30) end,
  panics = function()
    robot:panic()
    robot:set_joint("head", { pan = 0.5 })
    rt.sleep(0.5)
  end,
  breaks = function() require "robotalk.task".cancel_all = nil end, -- the library itself
  killed = function()
    os.execute("kill -" .. arg[2] .. " $PPID")
    rt.sleep(1e6)
  end,
  interrupted = function()
    os.execute "kill -INT 0"
    rt.sleep(1e6)
  end,
  stuck = function()
    os.execute "kill -TERM $PPID"
    return (("a"):rep(40):find(("a*"):rep(30) .. "b"))
  end,
}
rt.sleep(0.55)
return does[arg[1]]()
LUA
small=(--physics --film-size 80x60 --film-rate 10)
film() { "$ROBOTALK" run "$work/does.lua" "$@" --virtual "${small[@]}" --film "${film:=$work/film.gif}"; }

# pictures FILE LEAST MOST: it is whole, and has that many
pictures() {
    read -r count behind <<<"$(lua5.4 tests/e2e/gif.lua "$1")"
    [ "$count" -ge "$2" ] && [ "$count" -le "$3" ]
}
# whole STATUS WORD …: a run that ends so, and with that status
whole() {
    rm -f "$work/film.gif"
    fails "$1" film "${@:2}"
    pictures "$work/film.gif" 6 11 # at 0, 0.1 … 0.5 s, and for a panic 1 s
    [ "$behind" = 0 ]
}
whole 0 returns
cp "$work/film.gif" "$work/returns.gif"
whole 0 leaves 0
cmp "$work/film.gif" "$work/returns.gif"
whole 3 leaves 3
whole 5 leaves_elsewhere
whole 1 fails
if ! brief; then
    whole 1 gives_up
    whole 1 uses_memory
fi
whole 0 panics
whole 70 breaks
signals=("TERM 143" "KILL 137")
brief || signals+=("HUP 129" "INT 130" "QUIT 131")
for signal in "${signals[@]}"; do
    whole "${signal#* }" killed "${signal% *}"
done
whole 143 stuck
says 'it does not end when it is told to; robots are halted'

# what went wrong with it is said, and makes a good end a bad one
echo 'os.exit(tonumber(arg[1]))' >"$work/at_once.lua"
for status in 0 3; do
    fails $((status ? status : 1)) "$ROBOTALK" run "$work/at_once.lua" $status --virtual "${small[@]}" --film "$work/film.gif"
    says 'error: film: .*film.gif: the run was too short'
done
limited() (ulimit -f 4; film "$@") # KiB of a file
rm "$work/film.gif"
fails 1 limited leaves 0
says 'error: film: .*film.gif: File too large'
pictures "$work/film.gif" 1 5

# ffmpeg has all of it, and time for its own end, before the program goes
mkdir "$work/bin.d"
cat >"$work/bin.d/ffmpeg" <<'SH'
#!/bin/bash
out=${!#}
head -c 14400 >"$out" # the first picture: 80 x 60 of 3 bytes
cat >/dev/null
printf "\nend\n" >>"$out"
exit "${FFMPEG_STATUS-0}"
SH
chmod +x "$work/bin.d/ffmpeg"
PATH=$work/bin.d:$PATH
film=$work/film.mp4
ffmpeg_ends() { [ "$(tail -n 1 "$film")" = end ] && rm "$film"; }
fails 3 film leaves 3
ffmpeg_ends
FFMPEG_STATUS=1 fails 1 film leaves 0
says 'film.mp4: ffmpeg failed'
apart() { film=$film setsid -w "$BASH" -c "$(declare -f film); $(declare -p work small); film \"\$@\"" apart "$@"; }
fails 130 apart interrupted # as Ctrl-C does: all of the terminal's programs are
ffmpeg_ends
