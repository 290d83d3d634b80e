/* MuJoCo by the loader of the system. */
#include "engine.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_library.h"
#include "robotalk.h"

static struct robo__engine functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* "": it is loaded */

/* Of the call that this thread guards; NULL: none. */
struct guard {
    jmp_buf back;
    char *why;
};
static _Thread_local struct guard *guarded;

static void on_error(const char *message)
{
    if (!guarded) {
        fprintf(stderr, "MuJoCo: %s\n", message);
        abort();
    }
    snprintf(guarded->why, 256, "MuJoCo: %.240s", message);
    longjmp(guarded->back, 1);
}

/* It would write them to a file in the current folder; who steps it looks at its counts of warnings. */
static void on_warning(const char *message)
{
    (void)message;
}

static void load(void)
{
    static const struct robo__shared_library library = { "physics needs MuJoCo 2.2.2",
                                                         "libmujoco.so.2.2.2", "libmujoco2.2.2" };
    static void (**user_error)(const char *), (**user_warning)(const char *);
    static const struct robo__shared_function wanted[] = {
#define ROW(name) { #name, &functions.name },
        ROBO__ENGINE_FUNCTIONS(ROW)
#undef ROW
            { "mju_user_error", &user_error },
        { "mju_user_warning", &user_warning },
    };
    robo__shared_library_load(&library, wanted, sizeof wanted / sizeof wanted[0], failure);
    if (failure[0])
        return;
    if (functions.mj_version() != mjVERSION_HEADER) {
        snprintf(failure, sizeof failure, "physics was built for MuJoCo %d, and this is %d",
                 mjVERSION_HEADER, functions.mj_version());
        return;
    }
    *user_error = on_error;
    *user_warning = on_warning;
}

const struct robo__engine *robo__engine(char why[256])
{
    pthread_once(&once, load);
    if (!failure[0])
        return &functions;
    memcpy(why, failure, sizeof failure);
    return NULL;
}

int robo__engine_try(void (*act)(void *context), void *context, char why[256])
{
    struct guard guard = { .why = why }, *outer = guarded;
    if (setjmp(guard.back)) {
        guarded = outer;
        return ROBO_EDEVICE;
    }
    guarded = &guard;
    act(context);
    guarded = outer;
    return 0;
}
