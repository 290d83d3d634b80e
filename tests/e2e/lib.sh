# Sourced by every script here: `. "${BASH_SOURCE%/*}/lib.sh"`. A command that fails ends the script, which says which
# line that was, and shows what the programs have said. $work is a folder of the script's own; files there without a dot in
# their names are what programs say. Whatever is left running at the end is killed.
set -eEu
work=$(mktemp -d) here=$PWD
export XDG_CONFIG_HOME=$work/config # keys and lists of the user's own are none of a test's
trap 'blame $?' ERR
trap 'clean_up' EXIT

blame() {
    local i file
    cd "$here"
    echo "${BASH_SOURCE[1]}:${BASH_LINENO[0]}: status $1: $(sed -n "${BASH_LINENO[0]}s/^ *//p" "${BASH_SOURCE[1]}")"
    for ((i = 1; i < ${#FUNCNAME[@]} - 1; i++)); do echo "  in ${FUNCNAME[i]}, called in line ${BASH_LINENO[i]}"; done
    for file in "$work"/*; do
        [ -f "$file" ] && [ -s "$file" ] && [[ ${file##*/} != *.* ]] || continue
        echo "--- the end of ${file##*/}:"
        tail -n 30 "$file"
    done
} >&2

clean_up() {
    kill -KILL $(jobs -p) || true
    wait || true # says that they were killed
    rm -rf "$work"
} 2>/dev/null

# eventually COMMAND…: waits until it succeeds. The limit only ends what hangs.
eventually() {
    local end=$((SECONDS + ${ROBOTALK_PATIENCE:-300}))
    until "$@" 2>/dev/null; do
        if [ $SECONDS -ge $end ]; then
            echo "never so: $*" >&2
            return 1
        fi
        sleep 0.05
    done
}

# brief: whether ./test runs this, which leaves some of it to ./test --long: that runs all of those scripts that ask.
brief() { [ "${ROBOTALK_BRIEF-}" ]; }

# fails STATUS COMMAND…: what it says goes to $work/out
fails() {
    local got=0
    "${@:2}" >"$work/out" 2>&1 || got=$?
    [ "$got" = "$1" ] || { echo "expected status $1, got $got: ${*:2}" >&2; return 1; }
}

# refuses TEXT COMMAND…: with status 2, and says that
refuses() {
    fails 2 "${@:2}"
    says "$1"
}

# ends_with STATUS PID
ends_with() {
    local got=0
    wait "$2" || got=$?
    [ "$got" = "$1" ] || { echo "expected status $1, got $got" >&2; return 1; }
}

# end_server [STATUS]: the process $server is told to end, and ends with that status, else by that signal
end_server() {
    kill -TERM "$server"
    ends_with "${1-143}" "$server"
}

# says TEXT [FILE]: a pattern of grep in $work/out, or in another file there
says() { grep -q -- "$1" "$work/${2-out}" || { echo "expected in ${2-out}: $1" >&2; return 1; }; }

# lacks TEXT [FILE]: the opposite. (`! says` fails nothing: set -e lets it pass.)
lacks() {
    ! grep -- "$1" "$work/${2-out}" >&2 || { echo "not expected in ${2-out}: $1" >&2; return 1; }
}

# Writes take.py there, for scripts in Python: take(socket, n) is exactly n bytes, or raises EOFError.
write_take() {
    cat >"$work/take.py" <<'PY'
def take(socket, n):
    got = b""
    while len(got) < n:
        more = socket.recv(n - len(got))
        if not more:
            raise EOFError
        got += more
    return got
PY
}

# write_thing OPENS PORT [MORE]: robot.lua there, a robot whose driver is a script and tells its device what it is to do in words. OPENS is
# how that script opens config.port; MORE: fields of its table.
write_thing() {
    cat >"$work/driver.lua" <<LUA
local core = require "robotalk.core"
return {
  open = function(self, config)
    self.port = assert($1)
    self.port:write "open "
    return { halt = "halt ", port = self.port }
  end,
  start = function(self, cmd, done)
    self.port:write(cmd.op .. " ")
    done "success"
  end,
  ${3-}
}
LUA
    cat >"$work/robot.lua" <<LUA
return { name = "thing", joints = { { name = "head", driver = "head", servo = { "setpoint" }, dofs = { {} } } },
  drivers = { head = { script = "$work/driver.lua", port = "$2" } } }
LUA
}

# write_listener [LUA]: listen.lua there, a script that does that, and says which notices come from the robot at an address.
write_listener() {
    cat >"$work/listen.lua" <<LUA
local rt = require "robotalk"
local robot = rt.connect(arg[1], { reconnect = false })
robot:on_notice(function(what) print(what) io.stdout:flush() end)
print "ready"
io.stdout:flush()
${1-}
rt.sleep(1e6)
LUA
}

# Turns each robot that comes along into an RCML file: their names are ${files[@]}.
convert_robots() {
    local body name
    files=()
    for body in scripts/robots/*.lua; do
        name=${body##*/}
        "$ROBOTALK" convert "$body" "$work/${name%.*}.wrl"
        files+=("$work/${name%.*}.wrl")
    done
}

# Whether the program is one with the thread sanitizer.
holds_signals_back() { grep -qE __tsan_init "$ROBOTALK"; }

# need_opengl WHAT_WAS_NOT_TRIED: for pictures of the physics
need_opengl() {
    cat >"$work/view.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
local view, why = rt.look { from = { 1, 1, 1 }, to = { 0, 0, 0 }, width = 16, height = 16 }
if not view then print("nothing is seen: " .. why) end
LUA
    fails 0 "$ROBOTALK" run --physics --virtual "$work/view.lua"
    ! grep 'OpenGL\|EGL' "$work/out" || skip "OpenGL (libegl1, libgl1-mesa-dri) is not installed: $1"
}

# find_modules NAME WHAT_WAS_NOT_TRIED: $modules, which has the packages of tests/NAME/package.json for node. They come by npm, once, into
# build/NAME.
find_modules() {
    command -v npm >/dev/null && command -v node >/dev/null || skip "npm is not installed: $2"
    local list=tests/$1/package.json made=build/$1/package.json
    modules=build/$1/node_modules
    mkdir -p "build/$1"
    exec 9>"build/$1/lock"
    flock 9 # two tests may want them at once
    if ! cmp -s "$list" "$made"; then
        cp "$list" "$made.new"
        npm install --prefix "$work/npm" --no-audit --no-fund --ignore-scripts --no-package-lock \
            $(node -p 'Object.entries(require("./'"$list"'").dependencies).map(e => e.join("@")).join(" ")') \
            >"$work/npm_out" 2>&1
        rm -rf "$modules"
        mv "$work/npm/node_modules" "$modules"
        mv "$made.new" "$made"
    fi
    exec 9>&-
}

# find_browser WHAT_WAS_NOT_TRIED: $chromium, and $modules, which has playwright-core to drive it
find_browser() {
    chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        skip "chromium is not installed: $1"
    find_modules vrml "$1"
}

skip() { echo "skipped: $*"; exit 77; }
