#!/bin/bash
# Runs the README and the pages of docs/: blocks of Lua, Python, C and CMake become the files that their first line names, sh blocks
# are run one after the other in a folder of their own, where `robotalk` is the program under test and its library is
# installed. Every command must succeed. docs/arm.md has a test of its own.
. "${BASH_SOURCE%/*}/lib.sh"
lib=$(realpath "${BASH_SOURCE%/*}/lib.sh")
shopt -s extglob
pages=("$PWD/README.md" "$PWD"/docs/!(arm).md)
mkdir "$work/bin"
ln -s "$(realpath "$ROBOTALK")" "$work/bin/robotalk"
# luajit, as where everything is installed
build=$(dirname "$(realpath "$ROBOTALK")")
printf '#!/bin/sh\nLUA_PATH="%s;%s;;" ROBOTALK_LIBRARY=%s exec %s "$@"\n' "$PWD/bindings/ffi/?.lua" "$build/ffi/?.lua" \
    "$build/librobotalk.so" "$(command -v luajit)" >"$work/bin/luajit"
chmod +x "$work/bin/luajit"
# and the system's python3, which has numpy
ln -s /usr/bin/python3 "$work/bin/python3"
export ROBOTALK=$(realpath "$ROBOTALK") PYTHONPATH=$PWD/bindings/python PYTHONDONTWRITEBYTECODE=1 ROBOTALK_LIBRARY=$build/librobotalk.so
cmake --install "$build" --prefix "$work/installed" >/dev/null
library=$(dirname "$(find "$work/installed" -name librobotalk.so)")
export PKG_CONFIG_PATH=$library/pkgconfig LD_LIBRARY_PATH=$library CMAKE_PREFIX_PATH=$work/installed
cp docs/driver/* "$work"
cd "$work"
lua5.4 - "${pages[@]}" <<'LUA'
local port = math.random(20000, 29999) -- others may run these pages now
local text, script, blocks = "", { ". \"$LIB\"", "set -x" }, 0
local first = { lua = "^%-%- ([%w_]+%.lua)", python = "^# ([%w_]+%.py)", c = "^/%* ([%w_]+%.c)", cmake = "^# (CMakeLists%.txt)" }
for _, page in ipairs(arg) do text = text .. io.open(page):read("a") end
for kind, block in text:gmatch("\n```(%l+)\n(.-)\n```") do
  if first[kind] then
    local name = assert(block:match(first[kind]), "a block begins with the name of its file: " .. kind)
    block = block:gsub("rctp://localhost/", ("rctp://localhost:%d/"):format(port + 1))
    block = block:gsub('images://localhost"', ('images://localhost:%d"'):format(port + 3))
    assert(not io.open(name), name .. ": another block has that name")
    io.open(name, "w"):write(block, "\n"):close()
  elseif kind == "sh" then
    -- a reader waits a second for a server and minutes for a long series; a test as long as it takes, and not so long
    block = block:gsub("(%-%-listen '?[%w+]*unix:([%w.]+)%S* &\n)sleep %d\n", "%1eventually test -S %2\n")
    block = block:gsub("(%-%-listen '[^']*:7654[^']*' &\n)sleep 1\n", "%1eventually bash -c '</dev/tcp/localhost/7654'\n")
    block = block:gsub("(%-%-listen [%w+]*unix:([%w.]+) [^\n]*&\n)sleep 1\n", "%1eventually test -S %2\n")
    block = block:gsub("(%-%-listen rctp://localhost) &\nsleep 1\n", "%1:7077 &\neventually bash -c '</dev/tcp/localhost/7077'\n")
    block = block:gsub("(%-%-listen gamebots://localhost) &\nsleep 1\n", "%1:3000 &\neventually bash -c '</dev/tcp/localhost/3000'\n")
    block = block:gsub("(%-%-listen images://localhost) &\nsleep 1\n",
      ("%%1:%d &\neventually bash -c '</dev/tcp/localhost/%d'\n"):format(port + 3, port + 3))
    block = (block .. "\n"):gsub("\nkill %$!\n", "%0wait $! || true\n") -- the next may want its port, or its folder
    block = block:gsub("(localhost[: ])3000", "%1" .. port + 2):gsub("(localhost/)3000", "%1" .. port + 2)
    block = block:gsub("localhost:5004", "localhost:" .. port + 3)
    block = block:gsub("7654", port):gsub("7077", port + 1)
    if os.getenv "ROBOTALK_BRIEF" then -- one task of each experiment
      block = block:gsub("experiment congestion", "%0 paper"):gsub("experiment ordering %-", "experiment ordering line -")
    end
    script[#script + 1] = block:gsub("%-%-runs %d+", os.getenv "ROBOTALK_BRIEF" and "--runs 100" or "--runs 1000")
    blocks = blocks + 1
  end
end
assert(blocks >= 6, "the README has lost its commands")
io.open("commands.sh", "w"):write(table.concat(script, "\n"), "\n"):close()
LUA
LIB=$lib PATH=$work/bin:$PATH bash commands.sh
test -s out/congestion.svg
brief || test -s out/ordering-joints.svg # of its other tasks
