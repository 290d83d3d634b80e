#!/bin/bash
# A Golog interpreter in SWI-Prolog drives the simulated AIBO by the predicates of paper 002.
. "${BASH_SOURCE%/*}/lib.sh"
folder=$(dirname "$ROBOTALK")/prolog
command -v swipl >/dev/null && [ -e "$folder/robotalk_gti.so" ] || skip "there is no SWI-Prolog"
"$ROBOTALK" serve aibo_ers7 --listen "unix:$work/robotalk" --gti "unix:$work/gti" --ball 0.6,0.3 --motions tests/mot \
    2>"$work/log" &
eventually says "Golog-Tekkotsu interface" log
cat >"$work/test.pl" <<'PL'
:- use_module(library(robotalk)).

% Do of Golog (Levesque et al. 1997), whose primitive actions are carried out as they are chosen
run([], S, S).
run([P|Q], S, T) :- run(P, S, U), run(Q, U, T).
run(is(C), S, S) :- holds(C, S).
run(while(C, P), S, T) :- ( holds(C, S) -> run(P, S, U), run(while(C, P), U, T) ; T = S ).
run(if(C, P, Q), S, T) :- ( holds(C, S) -> run(P, S, T) ; run(Q, S, T) ).
run(A, S, did(A, S)) :- possible(A, S), act(A), !.

:- dynamic sensed/2.
possible(search, _).   possible(look, S) :- holds(found, S).   possible(wag(N), _) :- integer(N).   possible(stroll, _).
holds(not(C), S) :- \+ holds(C, S).
holds(found, did(search, _)) :- sensed(found, 1), !.
holds(found, did(A, S)) :- A \= search, holds(found, S).
holds(wagged(N), S) :- findall(x, in(wag(_), S), L), length(L, N).
holds(less(N), S) :- holds(wagged(M), S), M < N.
in(A, did(A, _)).
in(A, did(_, S)) :- in(A, S).

act(search) :- searchBall(pink, Found, 0), retractall(sensed(found, _)), assertz(sensed(found, Found)).
act(look) :- queryBall(pink, 1, X, Y, Area, 0), abs(X) < 0.2, abs(Y) < 0.2, Area > 0, queryBall(green, 0, _, _, _, 0).
act(wag(N)) :- Angle is 20 * (-1) ** N, moveJoints([tailPan = Angle, joint(mouth, -20, 50)], 0), arrive(tailPan, Angle).
act(stroll) :- get_time(Now), T is Now + 0.1, walk(100, 0, 0, T), walkFor(50, 0, 0.2, 0.3, 0), stopWalk(0).
arrive(Name, Angle) :- between(1, 500, _), querySensors([Name], [V], 0), ( abs(V - Angle) < 2 -> ! ; sleep(0.02), fail ).

% what is wrong is told as such, and ends no connection
wrong(Goal) :- catch((call(Goal), fail), error(E, _), true), nonvar(E), E \= robotalk_error(_).

main :-
    current_prolog_flag(argv, [URL|_]),
    catch((connect('unix:/no/such/socket'), fail), error(robotalk_error(_), _), true),
    connect(URL),
    run([search, if(found, look, [is(not(found))]), while(less(3), wag(0)), stroll], start, S),
    holds(wagged(3), S),
    querySensors([neckTilt1, 'NECK:pan', dAccel, chinBut], [_, _, Down, 0.0], 0), abs(Down + 9.80665) < 0.001,
    motion('nod.mot', 0),
    catch((moveJoints([wing = 3], 0), fail), error(domain_error(_, wing), _), true),
    catch((queryBall(blue, _, _, _, _, 0), fail), error(_, _), true),
    wrong(moveJoints(neckPan = 3, 0)), wrong(moveJoints([neckPan], 0)), wrong(querySensors(_, _, 0)),
    NaN is nan, wrong(walk(NaN, 0, 0, 0)), wrong(moveJoints([neckPan = NaN], 0)), wrong(moveJoints([neckPan = far], 0)),
    length(Many, 65), maplist(=(neckPan), Many), wrong(querySensors(Many, _, 0)),
    querySensors([neckPan], [_], 0),
    disconnect,
    connect(URL, [short_walk(true)]), walk(60, 0, 0, 0), stopWalk(0), querySensors([neckPan], [_], 0), disconnect,
    catch((stopWalk(0), fail), error(robotalk_error(_), _), true),
    writeln(done).
:- initialization((catch(main, E, (print_message(error, E), fail)) -> halt ; halt(1))).
PL
swipl -q -p "library=$folder" -p "foreign=$folder" "$work/test.pl" -- "unix:$work/gti" >"$work/out" 2>&1
says '^done$'
