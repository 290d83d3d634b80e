-- Golog beside a vanilla interpreter in SWI-Prolog, in the same run: the elevator of Levesque et al. 1997, a loop of
-- ten thousand actions, and searches in blocks world for the shortest plan. The interpreter below is the definition of
-- Do (1997) as it stands, with situations as terms and regression through the whole history.
local golog = require "robotalk.golog"
local experiment = require "robotalk.experiment"

local VANILLA = [=[
% Do of programs: a list is a sequence, pick substitutes a fresh variable for its atom
run([], S, S).
run([P|Q], S, T) :- run(P, S, U), run(Q, U, T).
run(is(C), S, S) :- holds(C, S).
run(either(P, Q), S, T) :- run(P, S, T) ; run(Q, S, T).
run(pick(V, P), S, T) :- put(V, _, P, Q), run(Q, S, T).
run(star(P), S, T) :- T = S ; run([P, star(P)], S, T).
run(if(C, P, Q), S, T) :- run(either([is(C), P], [is(not(C)), Q]), S, T).
run(while(C, P), S, T) :- run([star([is(C), P]), is(not(C))], S, T).
run(P, S, T) :- procedure(P, B), run(B, S, T).
run(A, S, did(A, S)) :- action(A), possible(A, S).

put(_, _, T, T) :- var(T), !.
put(V, N, V, N) :- !.
put(V, N, T, U) :- T =.. [F|As], put_all(V, N, As, Bs), U =.. [F|Bs].
put_all(_, _, [], []).
put_all(V, N, [A|As], [B|Bs]) :- put(V, N, A, B), put_all(V, N, As, Bs).

holds(and(C, D), S) :- !, holds(C, S), holds(D, S).
holds(not(C), S) :- !, \+ holds(C, S).
holds(some(V, C), S) :- !, put(V, _, C, D), holds(D, S).
holds(F, S) :- fluent(F), !, F =.. As, append(As, [S], Bs), G =.. Bs, G.
holds(G, _) :- G.

% the elevator
action(up(_)).   action(down(_)).   action(turnoff(_)).   action(open).   action(close).
possible(up(N), S) :- floor(M, S), M < N.
possible(down(N), S) :- floor(M, S), M > N.
possible(turnoff(N), S) :- on(N, S).
possible(open, _).   possible(close, _).
fluent(floor(_)).   fluent(on(_)).
floor(M, did(A, S)) :- A = up(M) ; A = down(M) ; A \= up(_), A \= down(_), floor(M, S).
floor(4, start).
on(N, did(A, S)) :- on(N, S), A \= turnoff(N).
on(N, start) :- requests(M), between(1, M, N).
procedure(go(N), either(is(floor(N)), either(up(N), down(N)))).
procedure(serve(N), [go(N), turnoff(N), open, close]).
procedure(serve_one, pick(n, [is(on(n)), serve(n)])).
procedure(park, if(floor(0), open, [down(0), open])).
procedure(control, [while(some(n, on(n)), serve_one), park]).

% the loop
action(tick).
possible(tick, _).
fluent(count(_)).
count(N, did(tick, S)) :- !, count(M, S), N is M + 1.
count(N, did(_, S)) :- count(N, S).
count(0, start).

% blocks world: a tower to be turned over
action(move(_, _)).
possible(move(X, Y), S) :- X \= Y, clear(X, S), clear(Y, S), \+ stands(X, Y, S).
fluent(stands(_, _)).   fluent(clear(_)).
BLOCKS
place(X) :- block(X).   place(table).
clear(table, _) :- !.
clear(X, S) :- \+ (block(Y), stands(Y, X, S)).
stands(X, Y, did(move(X, Z), _)) :- !, Y = Z.
stands(X, Y, did(_, S)) :- stands(X, Y, S).
STANDS
procedure(any, pick(x, pick(y, [is(block(x)), is(place(y)), move(x, y)]))).
procedure(solved, is(SOLVED)).
deepen(P, S) :- append(P, [solved], Q), run(Q, start, S), ! ; deepen([any|P], S).

length_of(start, 0).
length_of(did(_, S), N) :- length_of(S, M), N is M + 1.

timed(Name, Times, Goal, S) :-
    statistics(cputime, A),
    forall(between(2, Times, _), once(Goal)), once(Goal),
    statistics(cputime, B), length_of(S, N), T is (B - A) / Times,
    format("~w ~w ~9f~n", [Name, N, T]).
:- dynamic requests/1.
elevator(M, Times) :- retractall(requests(_)), assertz(requests(M)),
    timed(elevator(M), Times, run(control, start, S), S).
:- set_prolog_flag(stack_limit, 4_000_000_000).
:- initialization((GOALS, halt)).
]=]

-- ---- ours ----

local function elevator(m)
  local requests = {}
  for i = 1, m do requests[i] = true end
  local d = golog.domain()
  local floor, on = d:fluent("floor", 4), d:relation("on", requests)
  local up = d:action("up", { pre = function(n) return floor() < n end, effect = function(n) floor:set(n) end })
  local down = d:action("down", { pre = function(n) return floor() > n end, effect = function(n) floor:set(n) end })
  local turnoff = d:action("turnoff", { pre = function(n) return on(n) end, effect = function(n) on:set(n, false) end })
  local open, close = d:action("open"), d:action("close")
  local go = golog.proc("go", function(n)
    return golog.choice(golog.test(function() return floor() == n end), up(n), down(n))
  end)
  local serve = golog.proc("serve", function(n) return { go(n), turnoff(n), open(), close() } end)
  local park = golog.when(function() return floor() == 0 end, open(), { down(0), open() })
  return d, { golog.loop(function() return on:any() end, golog.pick(on, serve)), park }
end

local function loop(n)
  local d = golog.domain()
  local count = d:fluent("count", 0)
  local tick = d:action("tick", { effect = function() count:set(count() + 1) end })
  return d, golog.loop(function() return count() < n end, tick())
end

local function names_of(high)
  local names = {}
  for i = 1, high do names[i] = string.char(96 + i) end
  return names
end

local function blocks(high)
  local d, names = golog.domain(), names_of(high)
  local places, under, top = { table.unpack(names) }, {}, {}
  for i, name in ipairs(names) do
    under[name] = names[i + 1] or "table" -- the block below
    top[under[name]] = name               -- the block on top
  end
  places[#places + 1], top.table = "table", nil
  under, top = d:relation("under", under), d:relation("top", top)
  local move = d:action("move", {
    pre = function(x, y) return x ~= y and not top(x) and not top(y) and under(x) ~= y end,
    effect = function(x, y)
      if under(x) ~= "table" then top:set(under(x), false) end
      under:set(x, y)
      if y ~= "table" then top:set(y, x) end
    end })
  local any = golog.pick(names, function(x) return golog.pick(places, function(y) return move(x, y) end) end)
  local function solved()
    for i = 2, #names do
      if under(names[i]) ~= names[i - 1] then return false end
    end
    return true
  end
  return d, { golog.star(any), golog.test(solved) }
end

-- Seconds of one plan, averaged over `times`; actions.
local function timed(make, times, options)
  local d, what = make()
  collectgarbage()
  local t, plan = os.clock(), nil
  for _ = 1, times do plan = assert(d:plan(what, options)) end
  return (os.clock() - t) / times, #plan
end

-- ---- both ----

-- Adds name -> { actions, seconds } of goals of the interpreter in Prolog, with that number of blocks, to the results.
local function vanilla(results, high, goals)
  local blocks_, stands, solved = {}, {}, nil
  local names = names_of(high)
  for i, name in ipairs(names) do
    blocks_[i] = ("block(%s)."):format(name)
    stands[i] = ("stands(%s, %s, start)."):format(name, names[i + 1] or "table")
    local on = i > 1 and ("stands(%s, %s)"):format(name, names[i - 1])
    solved = on and solved and ("and(%s, %s)"):format(on, solved) or on
  end
  local words = { BLOCKS = table.concat(blocks_, " "), STANDS = table.concat(stands, " "), SOLVED = solved,
    GOALS = goals }
  local path = os.tmpname()
  experiment.write(path, (VANILLA:gsub("%u%u%u%u+", words)))
  -- it ends with this program, whatever ends that (setpriv of Linux), or after 120 s
  local pipe = io.popen(([[
    command -v setpriv >/dev/null && set -- setpriv --pdeathsig TERM
    exec "$@" timeout -k 1 120 swipl -q '%s' 2>/dev/null]]):format(path))
  for name, n, seconds in (pipe and pipe:read "a" or ""):gmatch "(%S+) (%d+) ([%d.]+)" do
    results[name] = { actions = tonumber(n), seconds = tonumber(seconds) }
  end
  if pipe then pipe:close() end
  os.remove(path)
end

return {
  summary = "Golog beside a vanilla interpreter in SWI-Prolog",
  ---Rows { what, unit, ours, limit, ratio, goal }; limit nil without SWI-Prolog.
  run = function(progress)
    local LOOP = 10000
    progress "golog: SWI-Prolog"
    local theirs, rows = {}, {}
    vanilla(theirs, 6, ([[elevator(10, 300), elevator(50, 20), elevator(200, 1),
      timed(loop, 1, run(while(some(n, and(count(n), n < %d)), tick), start, L), L)]]):format(LOOP))
    for high, times in pairs { [6] = 20, [7] = 3, [8] = 1 } do
      vanilla(theirs, high, ("timed(blocks(%d), %d, deepen([], B), B)"):format(high, times))
    end
    local function row(what, key, unit, goal, seconds, actions, done)
      local limit = theirs[key]
      if limit and limit.actions ~= actions then error(("%s: plans of %d and %d actions"):format(what, actions,
        limit.actions), 0) end
      done = done or actions
      local one = { what = what, unit = unit, ours = done / seconds, goal = goal }
      if limit then
        one.limit = done / limit.seconds
        one.ratio = one.ours / one.limit
      end
      rows[#rows + 1] = one
    end
    for _, case in ipairs { { 10, 300 }, { 50, 60 }, { 200, 15 } } do
      local m = case[1]
      progress(("golog: elevator, %d requests"):format(m))
      row(("elevator, %d requests"):format(m), ("elevator(%d)"):format(m), "actions/s", 1,
        timed(function() return elevator(m) end, case[2]))
    end
    progress "golog: loop"
    local seconds, actions = timed(function() return loop(LOOP) end, 5)
    row(("loop of %d actions"):format(LOOP), "loop", "actions/s", 100, seconds, actions)
    local long, many = timed(function() return loop(10 * LOOP) end, 1)
    rows[#rows + 1] = { what = ("loop of %d actions, beside one of %d"):format(10 * LOOP, LOOP), unit = "actions/s",
      ours = many / long, limit = actions / seconds, ratio = many / long * seconds / actions, goal = 0.5 }
    for _, case in ipairs { { 6, 20 }, { 7, 5 }, { 8, 1 } } do
      local high = case[1]
      progress(("golog: a tower of %d blocks"):format(high))
      local one, moves = timed(function() return blocks(high) end, case[2], { deepen = true })
      row(("blocks world, a tower of %d turned over"):format(high), ("blocks(%d)"):format(high), "plans/s", 1, one,
        moves, 1)
    end
    progress ""
    local alone = not next(theirs)
      and "without SWI-Prolog there is nothing to compare with: apt-get install swi-prolog-nox"
    return rows, alone or nil
  end,
}
