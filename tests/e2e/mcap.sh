#!/bin/bash
# Recordings and the reader and writer of MCAP that come by npm: whole files, files that were cut off and recovered, each compression;
# and what a kill -9 leaves.
. "${BASH_SOURCE%/*}/lib.sh"

find_modules mcap "no recording was read by @mcap/core"

cat >"$work/write.lua" <<'LUA'
local mcap = require "robotalk.mcap"
local file <close> = assert(mcap.create(arg[1], { compression = arg[2] }))
local x = assert(file:channel { topic = "/x", schema = "test.X", metadata = { unit = "m" } })
local y = assert(file:channel { topic = "/y" })
local panic = assert(file:channel { topic = "/notice", schema = "robotalk.notice" })
assert(file:attach("note", "text/plain", "hello", 1))
assert(file:metadata("by", { who = "test" }))
for i = 0, tonumber(arg[3]) - 1 do
  assert(file:message(x, 1 + i / 100, { x = i, list = { 1, 2.5 } }))
  if i == 500 then assert(file:message(panic, 6, { notice = "panicked" })) end
  if i % 10 == 0 then assert(file:message(y, 1 + i / 100, { on = true, tiny = i == 0 and -1.023e-10 or 1 })) end
end
if arg[4] then
  assert(file:flush())
  print "ready"
  io.stdout:flush()
  require "robotalk".sleep(1e6)
end
LUA
write() { "$ROBOTALK" run "$work/write.lua" "$@"; }
mcap() { "$ROBOTALK" mcap "$@"; }

for how in none zstd lz4; do write "$work/$how.mcap" "${how#none}" 1000; done
write "$work/empty.mcap" zstd 0
node tests/mcap/read.mjs "$modules" "$work"/{none,zstd,lz4,empty}.mcap >"$work/out"
for how in none zstd lz4; do
    says "^$how.mcap: 1101 of 1101 messages, 10 chunks, /notice /x /y note=hello by=who,test$"
    mcap "$work/$how.mcap" --check >/dev/null
done
says '^empty.mcap: 0 of 0 messages, 1 chunks, /notice /x /y '

# cut off: of each chunk that was whole all messages are there again
whole=$(stat -c %s "$work/zstd.mcap")
for i in 1 3 5 7 9; do
    head -c $((whole * i / 10)) "$work/zstd.mcap" >"$work/cut.mcap"
    fails 1 mcap "$work/cut.mcap" --check
    says 'byte [0-9]*: expected '
    mcap "$work/cut.mcap" --recover -o "$work/again$i.mcap" >"$work/said$i"
    mcap "$work/again$i.mcap" --check >/dev/null
done
node tests/mcap/read.mjs "$modules" "$work"/again[1-9].mcap >"$work/out"
[ "$(wc -l <"$work/out")" = 5 ]
says '^again5.mcap: [45][0-9]* of [45][0-9]* messages, [45] chunks, '

# killed while it is written
"$ROBOTALK" run "$work/write.lua" "$work/killed.mcap" zstd 250 on >"$work/ready" &
eventually says ready ready
kill -KILL $!
wait $! || true
mcap "$work/killed.mcap" >"$work/out"
says ': unfinished, 275 messages in 2.490 s$'
mcap "$work/killed.mcap" --recover -o "$work/kept.mcap" >"$work/out"
node tests/mcap/read.mjs "$modules" "$work/kept.mcap" >"$work/out"
says '^kept.mcap: 275 of 275 messages, 3 chunks, '

# a part of it
mcap "$work/lz4.mcap" --cut 2 4.5 -o "$work/part.mcap" >/dev/null
node tests/mcap/read.mjs "$modules" "$work/part.mcap" >"$work/out"
says '^part.mcap: 275 of 275 messages, 3 chunks, '

fails 1 mcap "$work/lz4.mcap" --cut 10 11 -o "$work/nothing.mcap"
says 'lz4.mcap: --cut: it has messages from 0 to 9.990 s$'
[ ! -e "$work/nothing.mcap" ]

# lists and plots
"$ROBOTALK" plot "$work/zstd.mcap" >"$work/out"
says '^/x.list\[1\]$'
LC_ALL=C "$ROBOTALK" plot "$work/zstd.mcap" /x.x /y.on --from 1 >"$work/out"
says '^+ /y.on$'
says '^       999 .*\*\*'
says ':panic '
says '^ *1 s *9.99 s$'
"$ROBOTALK" plot "$work/zstd.mcap" /y.tiny >"$work/out"
says '^         0 '
lacks e-10 out
"$ROBOTALK" plot "$work/zstd.mcap" /x.x -o "$work/x.svg"
says 'polyline points="66.0,350.0 ' x.svg
says '<text x="318.* fill="#c0392b">panic</text>' x.svg
fails 1 "$ROBOTALK" plot "$work/zstd.mcap" '/x.lost[0]'
says "/x has no number 'lost\\[0\\]', did you mean list\\[0\\]? There are list\[0\], list\[1\], x$"

# a file of another writer
node tests/mcap/read.mjs "$modules" --write "$work/other.mcap"
mcap "$work/other.mcap" --check >/dev/null
mcap "$work/other.mcap" --csv /x >"$work/out"
says '^1.900000000,19$'
mcap "$work/other.mcap" --recover -o "$work/ours.mcap" >/dev/null
node tests/mcap/read.mjs "$modules" "$work/ours.mcap" >"$work/out"
says '^ours.mcap: 20 of 20 messages, 2 chunks, /x a=hello m=k,v$'

# the disk is full, and a file that is there stays
fails 1 mcap "$work/lz4.mcap" --recover -o "$work/zstd.mcap"
says 'zstd.mcap: File exists'
[ "$(stat -c %s "$work/zstd.mcap")" = "$whole" ]
fails 1 bash -c "trap '' XFSZ; ulimit -f 4; '$ROBOTALK' mcap '$work/none.mcap' --recover -o '$work/full.mcap'"
says 'the recording is not written: File too large'
mcap "$work/full.mcap" --recover -o "$work/from_full.mcap" >/dev/null
node tests/mcap/read.mjs "$modules" "$work/from_full.mcap" >"$work/out"
says '^from_full.mcap: '
