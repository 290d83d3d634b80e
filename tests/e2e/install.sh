#!/bin/bash
# What stands beside the program where it is installed: manual pages, completion, unit of systemd.
. "${BASH_SOURCE%/*}/lib.sh"
build=$(dirname "$(realpath "$ROBOTALK")")
[ -d "$build/man" ] || skip "a build without manual pages"
cmake --install "$build" --prefix "$work/in stalled" >/dev/null
cd "$work/in stalled"

# every verb and every program has a page, and none has what the formatter warns of
pages=share/man/man1
zcat $pages/robotalk.1.gz >"$work/page.1"
for verb in $("$ROBOTALK" --help | sed -nE 's/^  ([a-z]+)  +[a-z].*/\1/p'); do
    [ -s "$pages/robotalk-$verb.1.gz" ]
    grep -q "^\.BR robotalk.-$verb (1)$" "$work/page.1"
done
[ -s $pages/robotalk-servo-bus.1.gz ]
if command -v groff >/dev/null; then
    zcat $pages/*.gz | groff -man -Tutf8 -ww >"$work/pages.txt" 2>"$work/warnings"
    [ ! -s "$work/warnings" ]
    grep -q 'listen URL' "$work/pages.txt"
fi

# completion, as bash asks for it
PATH=$PWD/bin:$PATH
. share/bash-completion/completions/robotalk
completed() { # WORD … : what may stand in the place of the last
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _robotalk
    echo "${COMPREPLY[*]}"
}
[ "$(completed robotalk expe)" = experiment ]
[ "$(completed robotalk run --virt)" = --virtual ]
[ -z "$(completed robotalk run scr)" ] # files are bash's own
[ "$(completed robotalk pione)" = "pioneer2 pioneer2_fast pioneer2_gripper pioneer2_laser pioneer2_player" ]
[ "$(completed robotalk experiment cong)" = congestion ]
[ "$(completed robotalk experiment congestion pa)" = paper ]
[ "$(completed robotalk bench qu)" = queue ]
mkdir here
touch here/pi.lua
cd here
[ "$(completed robotalk check pi)" = "pioneer2 pioneer2_fast pioneer2_gripper pioneer2_laser pioneer2_player pi.lua" ]
[ -z "$(completed robotalk experiment --out cong)" ]
cd ..

unit=lib/systemd/user/robotalk.service
grep -qx "ExecStart=$PWD/bin/robotalk serve %h/.config/robotalk/server.lua" $unit

# the rock of the client for LuaJIT
if command -v luarocks >/dev/null && command -v luajit >/dev/null; then
    cd "$here"
    luarocks lint bindings/ffi/*.rockspec
    luarocks --lua-version 5.1 --tree "$work/rock" make bindings/ffi/*.rockspec >"$work/rocks"
    LUA_PATH="$work/rock/share/lua/5.1/?.lua;;" ROBOTALK_LIBRARY=$build/librobotalk.so luajit -e 'assert(require "robotalk".now() > 0)'
fi
