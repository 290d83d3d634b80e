#!/bin/bash
# Reports of `robotalk test`: the reason of what has failed, for people, as TAP and as JUnit.
. "${BASH_SOURCE%/*}/lib.sh"

mkdir "$work/tests"
cat >"$work/tests/good_test.lua" <<'LUA'
local rt = require "robotalk"
describe("sums", function()
  it("are right", function()
    assert_equal(4, 2 + 2)
    assert_equal({ 1, { x = 2 } }, { 1, { x = 2 } })
    assert_near(0.3, 0.1 + 0.2, 1e-9)
    assert_raises("no %w+", error, "no luck")
    rt.sleep(100)
  end)
end)
LUA
cat >"$work/tests/bad_test.lua" <<'LUA'
describe("what", function()
  it("differs", function() assert_equal({ a = { 1, 2 } }, { a = { 1, 3 } }, "state") end)
  it("is far", function() assert_near(1, 2, 0.5) end)
  it('# is <odd> & "quoted" \\ \1', function() error('a\nb <&> "\255" ]]> \27[1m') end)
  it("is good", function() end)
end)
LUA
fails 1 "$ROBOTALK" test "$work/tests" --junit "$work/report.xml"
says 'bad_test.lua:2: state: a\[2\]: expected 2, got 3'
says 'bad_test.lua:3: expected 1 within 0.5, got 2'
says '^2 passed, 3 failed$'

fails 1 "$ROBOTALK" test "$work/tests" --tap
says '^TAP version 13$'
says '^1..5$'
says '^not ok 1 - what differs$'
says '^    .*bad_test.lua:2: state: a\[2\]: expected 2, got 3$'
says '^not ok 3 - what \\# is <odd> & "quoted" \\\\ �$'
says '^    b <&> "�" ]]> �\[1m$'
says '^ok 4 - what is good$'
says '^ok 5 - sums are right$'
says '^# 2 passed, 3 failed$'

grep -q '<testsuites name="robotalk" tests="5" failures="3" errors="0" skipped="0" time="[0-9.]*">' "$work/report.xml"
grep -q 'bad_test.lua" tests="4" failures="3" errors="0" skipped="0" time=' "$work/report.xml"
grep -q 'good_test.lua" tests="1" failures="0" errors="0" skipped="0" time=' "$work/report.xml"
grep -q 'name="what is far" file=".*" time="[0-9.]*"><failure message=".*bad_test.lua:3: expected 1 within' "$work/report.xml"
if command -v python3 >/dev/null; then
    python3 - "$work/report.xml" <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
cases = root.findall("testsuite/testcase")
assert len(cases) == 5 and all(float(case.get("time")) >= 0 for case in cases)
texts = [case.find("failure").text for case in cases if case.find("failure") is not None]
assert len(texts) == 3 and 'b <&> "\ufffd" ]]> \ufffd[1m' in texts[2], texts
PY
fi

# a file that cannot be loaded, and none at all
echo 'describe(' >"$work/tests/broken_test.lua"
fails 1 "$ROBOTALK" test "$work/tests/broken_test.lua"
says "broken_test.lua:2: unexpected symbol"
fails 1 "$ROBOTALK" test "$work/tests/none_test.lua"

# each test begins with the world that is asked for
cat >"$work/scenery_test.lua" <<'LUA'
local rt = require "robotalk"
it("has its ball", function() assert(rt.thing "ball") assert(rt.world {}) end)
it("has it again", function() assert(rt.thing "ball") end)
LUA
"$ROBOTALK" test --world living_room "$work/scenery_test.lua" >"$work/out"
says '^2 passed, 0 failed$'
fails 1 "$ROBOTALK" test "$work/scenery_test.lua"
says "there is nothing called 'ball' in this world"
fails 2 "$ROBOTALK" test --world livng_room "$work/scenery_test.lua"
says 'did you mean living_room'

# a robot that a test adds is gone in the next one; its noise is that of the seed
cat >"$work/noise_test.lua" <<'LUA'
local rt = require "robotalk"
for i = 1, 2 do
  it("adds a robot " .. i, function()
    local robot <close> = rt.connect("local:" .. assert(rt.add_robot { name = "noisy", base = { driver = "sim" },
      links = { [0] = { name = "hull" } },
      sensors = { { name = "wheels", type = "odometry", link = "hull", noise = 0.1 } } }))
    rt.sleep(1)
    print(i, robot:sense "wheels".x, math.random())
  end)
end
LUA
for seed in 1 2 2; do "$ROBOTALK" test --seed $seed "$work/noise_test.lua" >>"$work/seeds"; done
[ "$(grep -c '^2 passed, 0 failed$' "$work/seeds")" = 3 ]
[ "$(grep '^1' "$work/seeds" | uniq -c | awk '{ print $1 }' | paste -sd ' ')" = "1 2" ]
