/* What must hold, in words. */
#include "faults.h"

const struct robo__fault_word robo__fault_words[ROBO__INVARIANTS] = {
    [ROBO__HOLDS] = { "holds", "every invariant holds" },
    [ROBO__EXPIRED_BEGAN] = { "expired_began",
                              "nothing in direct mode begins later than its expiry after it was sent" },
    [ROBO__LATE_BEGAN] = { "late_began", "nothing begins later than its expiry after its start" },
    [ROBO__PANIC_IGNORED] = { "panic_ignored",
                              "a panic is acted on when its header comes, and is a new epoch" },
    [ROBO__PANIC_REACHED] = { "panic_reached",
                              "between the halt of a panic and the reset nothing reaches a device" },
    [ROBO__PANIC_SURVIVED] = { "panic_survived",
                               "nothing that was sent before its sender was told of a panic begins "
                               "after it" },
    [ROBO__PANIC_LEFT] = { "panic_left",
                           "a panic ends by a reset of its own epoch, and by nothing else" },
    [ROBO__PANIC_MOVED] = { "panic_moved", "a robot in panic stands as soon as it can brake" },
    [ROBO__STOP_SURVIVED] = { "stop_survived",
                              "nothing that was sent before its sender was told of another session's "
                              "stop begins after it" },
    [ROBO__STOP_SWEPT] = { "stop_swept",
                           "nothing that ran, was queued or held when a stop acted begins after it" },
    [ROBO__STOP_REFUSED] = { "stop_refused", "a stop is refused for nothing but a latched panic" },
    [ROBO__STOP_WAITED] = { "stop_waited", "a stop at once acts when it comes" },
    [ROBO__REST_REFUSED] = { "rest_refused",
                             "a speed of zero is not refused for its age or for want of room" },
    [ROBO__STRANGER_BEGAN] = { "stranger_began", "nothing begins that was not sent to that robot" },
    [ROBO__TWICE_BEGAN] = { "twice_began", "nothing begins twice" },
    [ROBO__REFUSED_BEGAN] = { "refused_began", "nothing begins that is answered as never begun" },
    [ROBO__NO_ANSWER] = { "no_answer", "each command and each query gets an answer" },
    [ROBO__TWO_ANSWERS] = { "two_answers", "no command gets two answers" },
    [ROBO__FALSE_ANSWER] = { "false_answer", "an answer tells what happened" },
    [ROBO__CLOCK_WRONG] = { "clock_wrong",
                            "the server's clock is within what a client says that it may be off" },
    [ROBO__NOT_TOLD] = { "not_told", "every session is told of every panic and stop" },
    [ROBO__TOLD_TWICE] = { "told_twice", "no session is told of the same panic or stop twice" },
    [ROBO__LINK_UNTOLD] = { "link_untold", "a client that loses its link is told once" },
    [ROBO__NOT_PLAYED] = { "not_played", "a sequence that is complete is played" },
    [ROBO__RUSHED] = { "rushed",
                       "the frames of a sequence begin in their order, and none sooner after "
                       "another than it should" },
    [ROBO__SILENT_MOVED] = { "silent_moved",
                             "a robot stands after the deadman time, in a buffered mode the longest gap, "
                             "and braking, when nobody who moves it is heard" },
    [ROBO__END_MOVED] = { "end_moved", "a robot stands when nobody is connected" },
    [ROBO__NOT_FINITE] = { "not_finite", "every number of a state is finite" },
    [ROBO__BEYOND_LIMITS] = { "beyond_limits", "every dof and base stays within its limits" },
    [ROBO__USURPED] = { "usurped",
                        "what begins to move an axis is of the client that has its lease" },
    [ROBO__GRABBED] = { "grabbed",
                        "a lease goes to another client when it was given, asked for in vain, taken by "
                        "force, given back or left, or when its time is over, and not otherwise" },
    [ROBO__LOSS_SURVIVED] = { "loss_survived",
                              "nothing that was sent before its sender was told that it has lost the "
                              "lease of an axis begins to move that axis" },
    [ROBO__UNRESTED] = { "unrested",
                         "what another client has moved rests when a client begins to move it" },
    [ROBO__LOSS_UNTOLD] = { "loss_untold",
                            "each session of a client is told when it has lost leases to another" },
    [ROBO__HELD_ON] = { "held_on",
                        "a lease ends when its client has been silent for the lease time, or has gone" },
    [ROBO__OUTRANKED] = { "outranked",
                          "nothing but a stop begins for a client whose role does not drive" },
    [ROBO__MISTAKEN] = { "mistaken",
                         "a client that comes back with its lease number is known again, and nobody "
                         "else is taken for it" },
    [ROBO__OVERRIDDEN] = { "overridden",
                           "an override changes as a client has asked that may, and not otherwise" },
    [ROBO__HELD_MOVED] = { "held_moved",
                           "a robot whose override is 0 stands as soon as it can brake, and a base is no "
                           "faster than its override lets it be" },
    [ROBO__LATCH_IGNORED] = { "latch_ignored",
                              "nothing begins for a client that another's stop of everything has latched, "
                              "before somebody who may resumes it with the number of that stop" },
    [ROBO__LEAKED] = { "leaked", "nothing is left when everybody has gone" },
    [ROBO__GREW] = { "grew", "memory does not grow from run to run" },
    [ROBO__ENDLESS] = { "endless", "a run ends" },
    [ROBO__CRASHED] = { "crashed", "the program does not crash" },
};

_Static_assert((int)ROBO_TEST_INVARIANTS == (int)ROBO__INVARIANTS, "simulator.h");

int robo_test_invariant(unsigned number, struct robo_word *word)
{
    if (number >= ROBO__INVARIANTS)
        return ROBO_ENONE;
    *word = (struct robo_word){ (int)number, robo__fault_words[number].name,
                                robo__fault_words[number].words };
    return 0;
}
