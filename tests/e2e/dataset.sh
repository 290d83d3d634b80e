#!/bin/bash
# Data sets and Parquet of other programs, which come by npm: hyparquet reads ours, of both versions, with and without ffmpeg; we read
# those of Arrow's writer, with dictionaries, and compressed.
. "${BASH_SOURCE%/*}/lib.sh"

find_modules dataset "no data set was read by hyparquet"

cat >"$work/teach.lua" <<'LUA'
local dataset = require "robotalk.dataset"
local rt = require "robotalk"
local robot <close> = rt.connect(arg[2])
local set <close> = assert(dataset.create(arg[1], { robot = robot, task = "wave", version = arg[3] }))
for i = 1, 3 do
  if i == 3 then set:task "nod" end
  assert(set:begin())
  robot:set_joint("shoulder_pan", 0.2 * i)
  robot:set_joint(i == 3 and "wrist_flex" or "gripper", 0.1 * i)
  local about = assert(set:keep())
  assert(about.skew < 0.001 and about.age < 0.05)
end
LUA
cat >"$work/read.lua" <<'LUA'
local set <close> = assert(require "robotalk.dataset".open(arg[1]))
for _, episode in ipairs(set.episodes) do
  local n, last = 0, nil
  for frame in assert(set:episode(episode.index)) do n, last = n + 1, frame end
  print(("%d %s %s %d %.2f %.2f %.2f"):format(episode.index, last.task, table.concat(episode.tasks), n, last.time,
    last.state["gripper.pos"], last.action["shoulder_pan.pos"]))
end
LUA
teach() { "$ROBOTALK" run "$work/teach.lua" --virtual "$@"; }

mkdir "$work/bin.d"
for program in bash sh env mkdir rm cat; do ln -s "$(command -v $program)" "$work/bin.d/"; done
(PATH=$work/bin.d teach "$work/three" so101_follower 3.0)
(PATH=$work/bin.d teach "$work/two" so101_follower 2.1)
node tests/dataset/read.mjs "$modules" "$work/three" >"$work/out"
says '^v3.0 of so101_follower: 3 episodes, [0-9]* frames, wave, nod; $'
node tests/dataset/read.mjs "$modules" "$work/two" >"$work/out"
says '^v2.1 of so101_follower: 3 episodes, [0-9]* frames, wave, nod; $'
grep -q 'needs ffmpeg' "$work/three/images/NOTE.txt"
[ -s "$work/three/images/observation.images.wrist/episode-000002/frame-000000.jpg" ]
[ -s "$work/two/images/observation.images.wrist/episode_000002/frame_000000.jpg" ]
teach "$work/three" so101_follower 3.0 # it goes on
node tests/dataset/read.mjs "$modules" "$work/three" >"$work/out"
says ': 6 episodes, '

if command -v ffmpeg >/dev/null; then
    teach "$work/films" lekiwi 3.0
    node tests/dataset/read.mjs "$modules" "$work/films" >"$work/out"
    says ' wave, nod; observation.images.front observation.images.wrist$'
    [ ! -e "$work/films/images" ]
fi

# a folder that vanishes while ffmpeg runs is an error
mkdir "$work/fake.d"
printf '#!/bin/sh\nrm -rf "%s"\n' "$work/gone" >"$work/fake.d/ffmpeg"
chmod +x "$work/fake.d/ffmpeg"
cat >"$work/gone.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "lekiwi"
local set <close> = assert(require "robotalk.dataset".create(arg[1], { robot = robot, cameras = { "wrist" } }))
assert(set:begin())
rt.sleep(0.2)
print(set:keep())
LUA
PATH=$work/fake.d:$PATH timeout 20 "$ROBOTALK" run "$work/gone.lua" "$work/gone" >"$work/out"
says '^nil	ffmpeg: .*: its output could not be written	ESYSTEM$'

node tests/dataset/write.mjs "$modules" "$work"
for name in plain1 plain2 snappy1 snappy2 zstd1 zstd2; do
    "$ROBOTALK" run "$work/read.lua" "$work/$name" >"$work/out"
    says '^0 pick pick 100 4.95 59.40 10.90$'
    says '^3 place place 100 4.95 62.40 13.90$'
done
fails 1 "$ROBOTALK" run "$work/read.lua" "$work/gzip1"
says 'byte [0-9]*: expected no compression, snappy or zstd, not codec 2'
