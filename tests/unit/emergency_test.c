/* A process that dies of a fault halts its devices first. Each dies for itself, in a child. */

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "robotalk.h"
#include "robotalk/emergency.h"

static void read_where_nothing_is(void)
{
    volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)page[0];
}

static void be_told(void)
{
    raise(SIGSEGV);
}

static void run_out_of_time(void)
{
    const struct itimerval soon = { .it_value.tv_usec = 1000 };
    setitimer(ITIMER_REAL, &soon, NULL);
    pause();
}

static void raise_each(int number)
{
    raise(number);
}

static volatile int depth_wanted = 1 << 30;

/* NOLINTNEXTLINE */
static int fill_the_stack(int depth)
{
    volatile char here[4096];
    here[0] = (char)depth;
    return depth < depth_wanted ? fill_the_stack(depth + 1) + here[0] : 0;
}

static void run_out_of_stack(void)
{
    static char stack[ROBO_EMERGENCY_STACK];
    const stack_t none = { .ss_flags = SS_DISABLE };
    sigaltstack(&none, NULL); /* nor that of a sanitizer */
    robo_emergency_stack(stack);
    fill_the_stack(0);
}

/* The child has three devices, one that is gone, a line and one of frames, and dies. */
static void expect_halt(int number, void (*die)(void))
{
    int line[2], frames[2], lost[2], status;
    char heard[64] = "";
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, line), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, frames), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, lost), 0);
    close(lost[1]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = { 0, 0 };
        const struct robo_emergency deaf = {
            .size = sizeof deaf, .fd = lost[0], .bytes = "stop", .count = 4
        };
        const struct robo_emergency a = {
            .size = sizeof a, .fd = line[0], .bytes = "stop\n", .count = 5
        };
        const struct robo_emergency b = {
            .size = sizeof b, .fd = frames[0], .bytes = "halt1halt2", .count = 10, .frame = 5
        };
        const struct robo_emergency gone = {
            .size = sizeof gone, .fd = line[0], .bytes = "gone", .count = 4
        };
        for (int i = 1; i < NSIG; i++)
            signal(i, SIG_DFL); /* neither the test's handlers nor a sanitizer's */
        setrlimit(RLIMIT_CORE, &no_core);
        if (robo_emergency_add(&gone) < 0 || robo_emergency_add(&deaf) < 0 ||
            robo_emergency_add(&a) < 0 || robo_emergency_add(&b) < 0)
            _exit(3);
        robo_emergency_remove(&gone);
        robo_emergency_on_faults();
        if (die)
            die();
        else
            raise_each(number);
        _exit(0);
    }
    close(lost[0]);
    close(line[0]);
    close(frames[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
    /* twice: another thread may have been about to write */
    assert_int_equal(read(line[1], heard, sizeof heard), 10);
    assert_memory_equal(heard, "stop\nstop\n", 10);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(read(frames[1], heard, sizeof heard), 5);
        assert_memory_equal(heard, i % 2 ? "halt2" : "halt1", 5);
    }
    close(line[1]);
    close(frames[1]);
}

TEST(a_bad_access_halts)
{
    expect_halt(SIGSEGV, read_where_nothing_is);
}

TEST(an_abort_halts)
{
    expect_halt(SIGABRT, abort);
}

TEST(a_full_stack_halts)
{
    expect_halt(SIGSEGV, run_out_of_stack);
}

TEST(what_others_send_halts_and_kills)
{
    expect_halt(SIGSEGV, be_told);
    expect_halt(SIGBUS, NULL);
    expect_halt(SIGFPE, NULL);
    expect_halt(SIGILL, NULL);
}

TEST(what_nobody_listens_to_halts_and_kills)
{
    static const int number[] = { SIGUSR1, SIGUSR2, SIGALRM,   SIGXCPU, SIGSYS,
                                  SIGTRAP, SIGPROF, SIGVTALRM, SIGIO };
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        expect_halt(number[i], NULL);
    expect_halt(SIGALRM, run_out_of_time);
}

TEST(the_table_has_an_end)
{
    static struct robo_emergency e[257];
    assert_int_equal(robo_emergency_add(&e[0]), ROBO_EINVAL);
    for (int i = 0; i < 257; i++)
        e[i].size = sizeof e[i];
    for (int i = 0; i < 256; i++)
        assert_int_equal(robo_emergency_add(&e[i]), 0);
    assert_int_equal(robo_emergency_add(&e[256]), ROBO_ELIMIT);
    for (int i = 0; i < 256; i++)
        robo_emergency_remove(&e[i]);
    assert_int_equal(robo_emergency_add(&e[256]), 0);
    robo_emergency_remove(&e[256]);
}
