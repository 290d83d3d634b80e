#!/bin/bash
# The experiment of paper 003 from outside, small: its table, its files, every frame whole; trials that are done are not done again;
# what it refuses.
. "${BASH_SOURCE%/*}/lib.sh"
experiment() { "$ROBOTALK" experiment "$@" --out "$work/none"; }
small=(--trials 2 --frames 5 --rate 50 --size 160x120)
out=$work/new/out.dir

"$ROBOTALK" experiment images paced "${small[@]}" --out "$out" >"$work/table" 2>"$work/err"
[ ! -s "$work/err" ] # no progress where nobody looks, and nothing of the receivers
says 'paced, 50 frames/s: 2 trials of 5 frames, 160 x 120, quality 80' table
for test in 'mean, frames/s' 'standard deviation' 'a frame takes, middle, ms' 'worst, ms'; do
    says "^$test  *[0-9.]*  *[0-9.]*  *[0-9.]*$" table
done
says '^decrease from test 1  *-  *[-0-9.]* %  *[-0-9.]* %$' table
says "^the paper's p  *0.8517  *0.6870  *0.5448$" table
says '^20 of 20 frames that were handed over came whole, 0 lost, 0 wrong$' table
says 'no frame corrupt or lost: \(reached\|NOT REACHED\)$' table
[ "$(ls "$out" | tr '\n' ' ')" = "images-paced.csv images-paced.svg " ] # no receiver's frames, no log
[ "$(grep -c '^[123],[12],5,50,160,120,80,0,' "$out/images-paced.csv")" = 6 ]
grep -q '</svg>' "$out/images-paced.svg"

# it was killed within a line: that trial is done again, the others stand
cp "$out/images-paced.csv" "$work/before.csv"
last=$(tail -n 1 "$work/before.csv")
head -c -20 "$work/before.csv" >"$out/images-paced.csv"
"$ROBOTALK" experiment images paced "${small[@]}" --out "$out" --json >"$work/json"
grep -v -F -x "$last" "$work/before.csv" | sort >"$work/kept.csv"
sort "$out/images-paced.csv" | comm -13 - "$work/kept.csv" >"$work/gone"
[ ! -s "$work/gone" ]
[ "$(grep -c '^[123],[12],' "$out/images-paced.csv")" = 6 ]
lua5.4 - "$work/json" <<'LUA'
local r = dofile "tests/json.lua".read(io.open(arg[1]):read "a")
local run = r.runs[1]
assert(r.experiment == "images" and run.run == "paced" and run.whole == 20 and run.lost == 0 and run.wrong == 0)
assert(#run.tests == 3 and #run.t == 3 and #run.p == 3 and type(run.reached) == "boolean")
for test = 1, 3 do assert(run.tests[test].mean > 0 and run.tests[test].test == test) end
LUA

# the link loses some, or is cut, and still every frame comes whole; the hour has one test
"$ROBOTALK" experiment images link "${small[@]}" --out "$out" >"$work/link"
says '^20 of 20 frames that were handed over came whole, 0 lost, 0 wrong' link
says '^the link: 20 ms each way and up to 20 ms more by chance, 1 % of segments lost; [0-9]* of [0-9]* were$' link
lacks 'reached' link
"$ROBOTALK" experiment images cuts "${small[@]}" --out "$out" >"$work/cuts"
says '^20 of 20 frames that were handed over came whole, 0 lost, 0 wrong' cuts
says 'segments lost; [0-9]* of [0-9]* were; cut in the middle of each trial$' cuts
"$ROBOTALK" experiment images hour "${small[@]}" --out "$out" >"$work/hour"
says '^10 of 10 frames that were handed over came whole, 0 lost, 0 wrong' hour
"$ROBOTALK" experiment images unpaced "${small[@]}" --out "$out" >"$work/unpaced"
says '^20 of 20 frames that were handed over came whole, 0 lost, 0 wrong' unpaced

# nothing is left running of one that is killed, and what it had done stands
export ROBOTALK_MARK=$work
running() { grep -lzsF "ROBOTALK_MARK=$work" /proc/[0-9]*/environ | wc -l; }
mine=$(running) # this shell's own children come and go: none of them is a receiver
"$ROBOTALK" experiment images hour --trials 1000 --frames 2 --rate 50 --size 160x120 --out "$work/killed.dir" >"$work/out" &
killed=$!
eventually grep -q '^3,2,' "$work/killed.dir/images-hour.csv"
[ "$(running)" -gt "$mine" ]
kill -KILL $killed
ends_with 137 $killed
none_runs() { [ "$(running)" -le "$mine" ]; }
eventually none_runs
cp "$work/killed.dir/images-hour.csv" "$work/before.csv"
"$ROBOTALK" experiment images hour --trials 3 --frames 2 --rate 50 --size 160x120 --out "$work/killed.dir" >"$work/hour"
[ "$(grep -F -x -f "$work/before.csv" "$work/killed.dir/images-hour.csv" | grep -c '^3,[12],')" = 2 ]

fails 1 "$ROBOTALK" experiment images paced "${small[@]}" --quality 50 --out "$out"
says 'has trials of other settings (quality 80)'
refuses 'expected one of paced, unpaced, link, cuts, hour, got fast' experiment images fast
refuses '--frames wants a whole number of 1 or more' experiment images --frames 0
refuses '--rate wants frames a second' experiment images --rate 0
refuses '--size wants pixels' experiment images --size 640
refuses '--quality wants a whole number from 1 to 100' experiment images --quality 101
refuses 'it has no option --trials' experiment bodies --trials 2
[ ! -e "$work/none" ]
