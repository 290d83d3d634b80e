#!/bin/bash
# Runs the README and the pages of docs/: Lua blocks become the files that their first line names, sh blocks are run one
# after the other in a folder of their own, where `robotalk` is the program under test. Every command must succeed.
set -eu
pages=("$PWD/README.md" "$PWD"/docs/*.md)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "$ROBOTALK")" "$work/bin/robotalk"
cd "$work"
lua5.4 - "${pages[@]}" <<'LUA'
local text, script, blocks = "", { "set -eux" }, 0
for _, page in ipairs(arg) do text = text .. io.open(page):read("a") end
for kind, block in text:gmatch("\n```(%l+)\n(.-)\n```") do
  if kind == "lua" then
    local name = assert(block:match("^%-%- ([%w_]+%.lua)"), "a Lua block begins with the name of its file")
    io.open(name, "w"):write(block, "\n"):close()
  elseif kind == "sh" then
    script[#script + 1] = block
    blocks = blocks + 1
  end
end
assert(blocks >= 6, "the README has lost its commands")
script[#script + 1] = "kill $(jobs -p) 2>/dev/null || true"
io.open("commands.sh", "w"):write(table.concat(script, "\n"), "\n"):close()
LUA
PATH=$work/bin:$PATH timeout 120 bash commands.sh
test -s out/congestion.svg
test -s out/ordering-joints.svg
