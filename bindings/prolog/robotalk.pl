:- module(robotalk, [
    connect/1, connect/2, disconnect/0,
    querySensors/3, queryBall/6, searchBall/3,
    moveJoints/2, motion/2, walk/4, walkFor/5, stopWalk/1
]).

/** <module> The predicates of paper 002 for SWI-Prolog

A Golog interpreter in Prolog drives an AIBO by them: ours (robotalk serve aibo_ers7 --gti robotalk://localhost), or one
that runs the paper's server. Every action is dated: its last argument T is a time as of get_time/1, 0 means now. Queries and
the search wait for their answers, the others return when they are sent. Degrees, percent, mm/s, rad/s, s; spec/gti.md.
*/

:- use_foreign_library(foreign(robotalk_gti)).

%!  connect(+URL) is det.
%!  connect(+URL, +Options) is det.
%
%   robotalk://HOST:PORT or unix:PATH. Options: byte_order(little) or big, packed(false) or true, short_walk(false) or
%   true: a walk until changed is sent without a time. Raises
%   error(robotalk_error(Why), _) when nobody is there, as every predicate does when the robot is gone.
connect(URL) :- connect(URL, []).
connect(URL, Options) :-
    (   memberchk(byte_order(big), Options) -> Big = true ; Big = false ),
    (   memberchk(packed(true), Options) -> Packed = true ; Packed = false ),
    (   memberchk(short_walk(true), Options) -> Short = true ; Short = false ),
    gti_connect(URL, Big, Packed, Short).

%!  disconnect is det.
%
%   The robot stands then.
disconnect :- gti_disconnect.

%!  querySensors(+Sensors, -Values, +T) is det.
%
%   Values of joints, sensors and buttons in the order of the list: neckTilt1, neckPan, dAccel, or Tekkotsu's names.
querySensors(Sensors, Values, T) :-
    must_be(list, Sensors),
    maplist(place, Sensors, Places),
    await(T),
    gti_query_sensors(Places, Values).

%!  queryBall(+Color, -Visible, -X, -Y, -Area, +T) is det.
%
%   Color: pink, orange, yellow, green. Visible 1 and where its middle and how large it is; or Visible 0, and the rest unbound.
queryBall(Color, Visible, X, Y, Area, T) :-
    color(Color, Number),
    await(T),
    gti_query_ball(Number, Visible, X, Y, Area).

%!  searchBall(+Color, -Found, +T) is det.
%
%   The head scans. Found 1: it points at the ball; 0: there is none.
searchBall(Color, Found, T) :-
    color(Color, Number),
    await(T),
    gti_search_ball(Number, Found).

%!  moveJoints(+Joints, +T) is det.
%
%   Joints: joint(Name, Degrees), joint(Name, Degrees, Percent) or Name = Degrees.
moveJoints(Joints, T) :-
    must_be(list, Joints),
    maplist(joint, Joints, Numbered),
    await(T),
    gti_move_joints(Numbered).

%!  motion(+File, +T) is det.
%
%   Plays a motion sequence file of the robot's.
motion(File, T) :- await(T), gti_motion(File).

%!  walk(+Dx, +Dy, +Da, +T) is det.
%!  walkFor(+Dx, +Dy, +Da, +Seconds, +T) is det.
%!  stopWalk(+T) is det.
%
%   mm/s ahead and to the left, rad/s to the left; until changed, or for so many seconds.
walk(Dx, Dy, Da, T) :- maplist(finite, [Dx, Dy, Da]), await(T), gti_walk(Dx, Dy, Da).
walkFor(Dx, Dy, Da, Seconds, T) :- maplist(finite, [Dx, Dy, Da, Seconds]), await(T), gti_walk_for(Dx, Dy, Da, Seconds).
stopWalk(T) :- walk(0, 0, 0, T).

finite(X) :- must_be(number, X), ( X =:= X, abs(X) < inf -> true ; domain_error(finite_number, X) ).

await(T) :- must_be(number, T), get_time(Now), ( T > Now -> Left is T - Now, sleep(Left) ; true ).

color(Color, Number) :- must_be(oneof([pink, orange, yellow, green]), Color), nth0(Number, [pink, orange, yellow, green], Color), !.

joint(Name = Angle, Joint) :- !, joint(joint(Name, Angle, 0), Joint).
joint(joint(Name, Angle), Joint) :- !, joint(joint(Name, Angle, 0), Joint).
joint(joint(Name, Angle, Percent), joint(Place, Angle, Percent)) :-
    place(Name, Place),
    finite(Angle), finite(Percent),
    ( Place < 18 -> true ; domain_error(joint, Name) ), !.
joint(Joint, _) :- domain_error(joint_command, Joint).

%   Places on the wire: Tekkotsu's names, or the interface's atoms (neckTilt1, lFrRotor; sensors begin with a small letter).
place(Name, Place) :-
    must_be(atom, Name),
    (   atom_of(Name, Tekkotsu) -> true ; Tekkotsu = Name ),
    (   place_of(Tekkotsu, Place) -> true ; domain_error(sensor_or_joint, Name) ).

place_of(Name, Place) :- names(Names), ( nth0(Place, Names, Name) ; upper_first(Name, Tekkotsu), nth0(Place, Names, Tekkotsu) ), !.

upper_first(Small, Name) :-
    atom_chars(Small, [C|Cs]), upcase_atom(C, U), atom_chars(Name, [U|Cs]).

atom_of(neckTilt1, 'NECK:tilt').   atom_of(neckPan, 'NECK:pan').   atom_of(neckTilt2, 'NECK:nod').
atom_of(tailTilt, 'TAIL:tilt').    atom_of(tailPan, 'TAIL:pan').   atom_of(mouth, 'MOUTH').
atom_of(Atom, Name) :-
    member(Leg-Small, ['LFr'-lFr, 'RFr'-rFr, 'LBk'-lBk, 'RBk'-rBk]),
    member(Long-Part, ['Rotor'-':rotor', 'Elevator'-':elvtr', 'Knee'-':knee']),
    atom_concat(Small, Long, Atom),
    atom_concat(Leg, Part, Name), !.

names(['LFr:rotor', 'LFr:elvtr', 'LFr:knee', 'RFr:rotor', 'RFr:elvtr', 'RFr:knee',
    'LBk:rotor', 'LBk:elvtr', 'LBk:knee', 'RBk:rotor', 'RBk:elvtr', 'RBk:knee',
    'NECK:tilt', 'NECK:pan', 'NECK:nod', 'TAIL:tilt', 'TAIL:pan', 'MOUTH',
    'NearIRDist', 'FarIRDist', 'ChestIRDist', 'BAccel', 'LAccel', 'DAccel', 'PowerRemain', 'PowerThermo',
    'PowerCapacity', 'PowerVoltage', 'PowerCurrent',
    'LFrPaw', 'RFrPaw', 'LBkPaw', 'RBkPaw', 'ChinBut', 'HeadBut', 'FrontBackBut', 'MiddleBackBut', 'RearBackBut',
    'WirelessSw']).
