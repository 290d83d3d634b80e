#!/bin/bash
# Words of the command line that are nearly right are refused, with what they were perhaps meant for.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/say.lua" <<'LUA'
local rt = require "robotalk"
print("said", ..., rt.now() < 1e6)
LUA
printf 'return { robots = { "pioneer2" }, listen = { "unix:%s/socket" } }\n' "$work" >"$work/conf.lua"
refused() { # refused TEXT ARGUMENT…
    refuses "$1" "$ROBOTALK" "${@:2}"
    lacks said
}

# the options of run, before and behind the script
for word in --virtul --vitrual --virtuall -virtual --untl --untill=3 --dryrun --dry_run --conect --spni; do
    refused "did you mean --" run "$work/say.lua" $word
done
for word in --virtul --untl --conect; do refused "there is no option $word, did you mean --" run $word "$work/say.lua"; done
refused 'own words go after --' run "$work/say.lua" --virtul
fails 0 "$ROBOTALK" run "$work/say.lua" --virtual -- --virtul
says 'said.--virtul'
fails 0 "$ROBOTALK" run "$work/say.lua" --virtual --velocity -1 -x
says 'said.--velocity'

# options of other verbs, verbs, robots, experiments, areas
refused 'there is no option --lsten, did you mean --listen' serve --lsten unix:x
refused 'there is no option --jsn, did you mean --json? There are --count' ping --jsn
refused "there is no verb 'srve', did you mean serve? There are repl" srve pioneer2
refused "there is no verb 'pioner2', did you mean pioneer2" pioner2
refused "there is no verb 'xyzzy'; there are" xyzzy
refused "there is no 'congestoin', did you mean congestion" experiment congestoin
refused "got papr; did you mean paper" experiment congestion papr
refused "there is no 'biuld', did you mean build? There are run" doctor biuld
refused "there is no 'quue', did you mean queue? There are start" bench quue
refused "there is no 'nob'; there are start" bench direct nob
[ "$(wc -l <"$work/out")" = 1 ]
if [ -x "${ROBOTALK%/*}/robotalk-bench" ]; then # it has those that are told
    "${ROBOTALK%/*}/robotalk-bench" --help >"$work/benches"
    says " $("$ROBOTALK" bench --names | grep -v -x -e golog -e follow -e dds | paste -sd ' ')\.$" benches
fi

# a description is not written over itself, whatever its name
echo 'return { name = "x" } -- as it was' >"$work/x.lua"
ln -s x.lua "$work/y.lua"
for to in x.lua ./x.lua y.lua; do refused "want another file for the result: $work/$to is the input" convert "$work/x.lua" "$work/$to"; done
grep -q 'as it was' "$work/x.lua"
fails 1 "$ROBOTALK" repl pioneer3 -e 1
says "there is no robot 'pioneer3', did you mean pioneer2"

# a picture's file
refused 'want a file for the picture at the end, .jpg, .jpeg, .png, .ppm or .pgm, got pioneer2' snapshot pioneer2
refused 'want a file for the picture at the end, .jpg, .jpeg, .png, .ppm or .pgm, got eye.gif' snapshot pioneer2 eye.gif
fails 0 "$ROBOTALK" snapshot pioneer2 "$work/eye.pgm"
[ "$(head -n 1 "$work/eye.pgm")" = P5 ]

# a file that another verb is for
refused "say.lua is a script: robotalk run $work/say.lua" "$work/say.lua"
refused "say.lua is a script: robotalk run $work/say.lua" serve "$work/say.lua"
refused "conf.lua is the configuration of a server: robotalk serve $work/conf.lua" "$work/conf.lua"
