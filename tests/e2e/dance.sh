#!/bin/bash
# One instant on robots of two machines, whose monotonic clocks differ and whose wall clocks are set meanwhile: each server is in a time namespace of
# its own, with a library whose CLOCK_REALTIME steps. When each robot has begun is read from the servers' recordings.
. "${BASH_SOURCE%/*}/lib.sh"
ahead_a=123456 ahead_b=7654321 # s, of the monotonic clocks of both machines
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
user=$([ "$(id -u)" = 0 ] || echo -r)
unshare $user --time --monotonic 1 --fork true 2>/dev/null || skip "no time namespace is allowed here: clocks that differ were not tried"
command -v cc >/dev/null && ! grep -qE '__(asan|tsan)_init' "$ROBOTALK" || skip "no library can be preloaded: steps of the wall clock were not tried"
cat >"$work/step.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
static const int64_t SLICE = 20000000; /* ns */
static volatile int64_t *step;         /* s */
static _Atomic unsigned woken[4096];   /* by condition */
static void *real(const char *name)
{
    void *at = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2"); /* an old program's is another one */
    return at ? at : dlsym(RTLD_NEXT, name);
}
__attribute__((constructor)) static void begin(void)
{
    void *at = mmap(NULL, sizeof *step, PROT_READ, MAP_SHARED, open(getenv("STEP"), O_RDONLY), 0);
    step = at == MAP_FAILED ? NULL : at;
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
    static int (*get)(clockid_t, struct timespec *);
    if (!get)
        get = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int error = get(clock, t);
    if (error == 0 && clock == CLOCK_REALTIME && step)
        t->tv_sec += *step;
    return error;
}
static _Atomic unsigned *slot(pthread_cond_t *cond)
{
    return &woken[(uintptr_t)cond / 16 % 4096];
}
int pthread_cond_signal(pthread_cond_t *cond)
{
    ++*slot(cond);
    return ((int (*)(pthread_cond_t *))real("pthread_cond_signal"))(cond);
}
int pthread_cond_broadcast(pthread_cond_t *cond)
{
    ++*slot(cond);
    return ((int (*)(pthread_cond_t *))real("pthread_cond_broadcast"))(cond);
}
/* Until the wall clock shows that instant, as the system does it: one that is set back prolongs a wait. */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    const unsigned before = *slot(cond);
    if (until->tv_sec < 1000000000) /* of another clock */
        return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, until);
    for (;;) {
        struct timespec now, part;
        clock_gettime(CLOCK_REALTIME, &now);
        const int64_t left = (until->tv_sec - now.tv_sec) * 1000000000 + until->tv_nsec - now.tv_nsec;
        clock_gettime(CLOCK_MONOTONIC, &part);
        part.tv_nsec += left < 0 ? 0 : left < SLICE ? left : SLICE;
        part.tv_sec += part.tv_nsec / 1000000000;
        part.tv_nsec %= 1000000000;
        const int error = pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &part);
        if (error != ETIMEDOUT || left <= SLICE || *slot(cond) != before)
            return left <= SLICE ? error : error == ETIMEDOUT ? 0 : error;
    }
}
C
cc -shared -fPIC -o "$work/step.so" "$work/step.c"
begin_server() { # NAME AHEAD
    cat >"$work/$1.lua" <<LUA
local robots = {}
for i = 1, 3 do
  robots[i] = { from = "pioneer2", name = "$1_" .. i, deadman = $long, links = { [0] = { position = { 0, 3 * i, 0 } } } }
end
return { robots = robots, listen = { "dds://$domain/stage" } }
LUA
    head -c 8 /dev/zero >"$work/$1.step"
    STEP=$work/$1.step LD_PRELOAD=$work/step.so unshare $user --time --monotonic "$2" --fork --kill-child=TERM \
        "$ROBOTALK" serve "$work/$1.lua" --record "$work/$1.mcap" 2>"$work/$1" &
}
begin_server a $ahead_a
first=$!
begin_server b $ahead_b
second=$!
cat >"$work/operator.lua" <<'LUA'
local rt = require "robotalk"
local url, folder, long = arg[1], arg[2], tonumber(arg[3])
local fleet <close> = assert(rt.fleet(url))
local entries, robots, ended = assert(fleet:await(6, long)), {}, {}
for i, e in ipairs(entries) do
  robots[i] = assert(fleet:connect(e, { timeout = long }))
  robots[i]:on_notice(function(what) if what == "deadman" or what == "panicked" then ended[#ended + 1] = what end end)
end
local function eventually(fn)
  local late = rt.now() + long
  while not fn() do
    assert(rt.now() < late, "never so")
    rt.sleep(0.05)
  end
end
-- Sets the wall clocks of both machines; their stamps follow.
local function set(a, b)
  for name, seconds in pairs { a = a, b = b } do
    local file <close> = assert(io.open(("%s/%s.step"):format(folder, name), "r+b"))
    file:write(string.pack("=i8", seconds))
  end
  eventually(function()
    for _, e in ipairs(entries) do
      local off = e.state.stamp.sec - os.time() - (e.name:find "^a" and a or b)
      if math.abs(off) > 60 then return false end
    end
    return true
  end)
end
local function moving()
  local n = 0
  for _, robot in ipairs(robots) do n = n + (assert(robot:state()).moving and 1 or 0) end
  return n
end
local function frames(session)
  for i = 0, 40 do session:frame(i * 0.1, { base = { speed = { theta = i < 40 and 0.3 or 0 } } }) end
end

-- all or none
local function refuses(options)
  options.timeout = long
  local good, _, code = rt.unison(robots, options, frames)
  assert(not good and moving() == 0)
  return code
end
print("within", refuses { within = 1e-9 })
assert(fleet:panic({ name = "b_2" }, long))
print("panic", refuses { within = long })
assert(fleet:reset())
ended = {}

-- a lead of 5 s is too short where the machine is busy; then all of it is tried again with a longer one
local lead, standing, checked, dance, message, code = 5, nil, nil, nil, nil, nil
repeat
  local t = rt.spawn(function()
    rt.sleep(1)
    set(36000, -36000)
    set(-36000, 36000)
    standing, checked = moving() == 0, rt.now()
  end)
  dance, message, code = rt.unison(robots, { within = long, lead = lead, timeout = long }, frames)
  assert(t:wait())
  lead = 2 * lead
until dance or code ~= "ETIMEOUT" or lead > long
assert(dance, message)
assert(standing or checked > dance.at)
set(0, 0)
set(36000, -36000)
print("frames", #dance.sessions)
local list = { ("at=%.9f"):format(dance.at) }
for i, session in ipairs(dance.sessions) do
  local report = assert(session:finish(long))
  for signal in pairs(report.signals) do assert(signal == "SUCCESS" or signal == "MODIFIED", tostring(report)) end
  assert(report.played == 41 and report.refused == 0, tostring(report))
  list[#list + 1] = ("%s={%.9f,%.9f}"):format(entries[i].name, dance.uncertainty[i], dance.late[i])
end
dance:close()
local file <close> = assert(io.open(folder .. "/begun.lua", "w"))
file:write("return {", table.concat(list, ","), "}\n")

-- one that moves goes on, those that stand stand, and its lease stays
eventually(function() return moving() == 0 end)
assert(robots[1]:set_speed { theta = 0.2 })
eventually(function() return #entries[1].leases == 1 end)
for _, step in ipairs { 0, 1e6, -1e6, 0 } do
  set(step // 1 | 0, -step // 1 | 0)
  rt.sleep(0.3)
  assert(moving() == 1 and robots[1]:state().moving and #entries[1].leases == 1)
end
robots[1]:stop()
eventually(function() return #fleet:robots() == 6 end) -- a busy machine is silent at times
print("ended", #ended)
for _, robot in ipairs(robots) do robot:close() end

-- and one that a program of ROS 2 drives goes on: an age by stamps of a clock that was set is none
local samples = require "robotalk.fleet.samples"
local topic <close> = assert(samples.open(url:match "^(dds://%d+)", { name = "rt/b_2/cmd_vel", reliable = true, depth = 1,
  type = "geometry_msgs::msg::dds_::Twist_" }, "write"))
eventually(function() return #entries[5].leases == 0 end)
local turn = 0.2
local function turns()
  local none = { x = 0, y = 0, z = 0 }
  topic:put(assert(require "robotalk.ros2.cdr".encode("geometry_msgs/msg/Twist", { linear = none,
    angular = { x = 0, y = 0, z = turn } })))
  return entries[5].state.angular[3] / turn > 0.5
end
eventually(turns)
for _, step in ipairs { 1e6, 0, -1e6, 0 } do
  set(step // 1 | 0, -step // 1 | 0)
  turn = -turn
  eventually(turns)
end
LUA
STEP=$work/a.step LD_PRELOAD=$work/step.so "$ROBOTALK" run "$work/operator.lua" "dds://$domain/stage" "$work" "$long" >"$work/out" 2>"$work/err"
printf 'within\tERANGE\npanic\tEPANIC\nframes\t6\nended\t0\n' | cmp - "$work/out"
kill -KILL $first $second # their servers get SIGTERM
eventually says 'ended by SIGTERM' a
eventually says 'ended by SIGTERM' b

# By the machine's own clock each robot has begun at the instant, but for its lateness and the uncertainty of its clock.
cat >"$work/judge.lua" <<'LUA'
local mcap = require "robotalk.mcap"
local folder, ahead = arg[1], { a = tonumber(arg[2]), b = tonumber(arg[3]) }
local begun = assert(dofile(folder .. "/begun.lua"))
local least, most, allowed, count = math.huge, -math.huge, 0, 0
for machine, seconds in pairs(ahead) do
  local recording <close> = assert(mcap.open(("%s/%s.mcap"):format(folder, machine)))
  for i = 1, 3 do
    local name, first = ("%s_%d"):format(machine, i), nil
    for m in recording:messages { topic = { ("/%s/result"):format(name) } } do
      local v = m.value
      if math.type(v.executed) and (not first or v.executed < first.executed) then first = v end
    end
    local uncertainty, late = table.unpack(begun[name])
    local at = first.executed - seconds - begun.at
    print(("%s began %.3f ms after the instant; its server says %.3f ms, to %.3f ms"):format(name, 1e3 * at, 1e3 * late,
      1e3 * uncertainty))
    assert(math.abs(first.late - late) < 2e-6 and math.abs(at - late) <= uncertainty + 2e-6, name)
    least, most, count = math.min(least, at), math.max(most, at), count + 1
    allowed = math.max(allowed, uncertainty + late)
  end
end
assert(count == 6 and most - least <= 2 * allowed)
LUA
"$ROBOTALK" run "$work/judge.lua" "$work" $ahead_a $ahead_b
