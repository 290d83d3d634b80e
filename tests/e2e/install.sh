#!/bin/bash
# What stands beside the program where it is installed: manual page, completion, unit of systemd.
. "${BASH_SOURCE%/*}/lib.sh"
build=$(dirname "$(realpath "$ROBOTALK")")
[ -e "$build/robotalk.1" ] || skip "a build without manual page"
cmake --install "$build" --prefix "$work/in stalled" >/dev/null
cd "$work/in stalled"

# the page has every verb, and nothing that the formatter warns of
page=share/man/man1/robotalk.1
[ "$(grep -c '^\.B robotalk [a-z]*$' $page)" -ge "$("$ROBOTALK" --help | grep -cE '^  [a-z]+  +[a-z]')" ]
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww $page >"$work/page" 2>"$work/warnings"
    [ ! -s "$work/warnings" ]
    grep -q 'listen URL' "$work/page"
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
