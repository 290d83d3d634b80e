/* Plays scenes. With ROBOTALK_SCENES=write the effects of each scene are written into its file. */
#pragma once

#include "scene_client.h"

extern const char *test_argument;

/* ---- time ---- */

/* Those who were woken, and the client that has just acted. */
static void look_all(void)
{
    for (bool again = true; again;) {
        again = false;
        for (struct client *c = clients; c < clients + CLIENTS; c++) {
            const bool acted = c->acts;
            c->acts = false;
            again |= c->there && client_looks(c, acted);
        }
        show_common();
    }
}

static void run_until(robo_time until)
{
    for (;;) {
        const robo_time now = robo_now(world);
        robo_time next = stage_next();
        for (struct client *c = clients; c < clients + CLIENTS; c++)
            if (c->there && client_next(c) < next)
                next = client_next(c);
        if (next > until)
            next = until;
        if (next < now)
            next = now;
        stage_advance(next);
        for (struct client *c = clients; c < clients + CLIENTS; c++)
            if (c->there)
                client_due(c, next);
        look_all();
        if (next == until && stage_next() > until)
            return;
    }
}

/* ---- the robot and its devices ---- */

/* dismiss all | program | KEY */
static void act_dismiss(struct scene_words *w)
{
    if (scene_takes(w, "all"))
        assert_int_equal(robo_try_dismiss_all(world), 1);
    else if (scene_takes(w, "program"))
        assert_int_equal(robo_try_dismiss(world, 0), 1);
    else
        robo_dismiss(world, (uint64_t)scene_number(w));
}

static void act_robot(struct scene_words *w)
{
    int error = 0;
    if (scene_takes(w, "panic"))
        robo_panic(robot);
    else if (scene_takes(w, "reset"))
        robo_reset(robot);
    else if (scene_takes(w, "override"))
        error = robo__override_set(robot, scene_number(w));
    else if (scene_takes(w, "reload"))
        error = robo_reload(robot, describe(find_body(w)), NULL);
    else if (scene_takes(w, "lease"))
        atomic_store(&world->lease, time_of(scene_number(w)));
    else if (scene_takes(w, "dismiss"))
        act_dismiss(w);
    else if (scene_takes(w, "readmit"))
        robo_readmit(world);
    else if (scene_takes(w, "remove"))
        robo_remove(robot);
    else if (scene_takes(w, "lacks")) {
        const struct robo_operation *o = robo_operation_named(robo_commands(), scene_word(w));
        robot->revisions->body->description.commands &= o ? ~(1ull << (o->op - ROBO_FIRST_OP)) : 0;
    } else if (scene_takes(w, "deadman"))
        robot->revisions->body->description.deadman = time_of(scene_number(w));
    else
        scene_wrong(w, "no such event of the robot");
    assert_int_not_equal(error, ROBO_ENOMEM);
    if (error)
        effect("robot %s", robo_error_name(error));
}

/* "SIGNAL [reason]": SUCCESS by default. */
static void take_signal(struct scene_words *w, enum robo_signal *signal, enum robo_reason *reason)
{
    *signal = ROBO_SUCCESS;
    *reason = ROBO_WHY_NONE;
    for (const struct robo_word *s = robo_signal_words(); s->name; s++)
        if (scene_takes(w, s->name))
            *signal = (enum robo_signal)s->number;
    for (const struct robo_word *r = robo_reason_words(); r->name; r++)
        if (r->name[0] && scene_takes(w, r->name))
            *reason = (enum robo_reason)r->number;
}

static void act_device(struct scene_words *w, unsigned device)
{
    enum robo_signal signal;
    enum robo_reason reason;
    if (scene_takes(w, "done")) {
        take_signal(w, &signal, &reason);
        robo_post_done(robot->devices.at[device], actors[device]->last, signal, reason);
    } else if (scene_takes(w, "fail")) {
        take_signal(w, &signal, &reason);
        robo_post_fault(robot->devices.at[device], reason);
    } else if (scene_takes(w, "lies") || scene_takes(w, "stands")) {
        const bool lies = strcmp(w->word[w->at - 1], "lies") == 0;
        robo__robot_lock(robot);
        robo__device_lies(robot->devices.at[device], lies);
        robo__robot_unlock(robot);
    } else if (scene_takes(w, "blocked")) {
        robo__robot_lock(robot);
        robo__device_blocked(robot->devices.at[device], w->word[w->at]);
        robo__robot_unlock(robot);
        w->at += w->word[w->at][0] != '\0';
    } else
        scene_wrong(w, "no such event of a device");
}

/* How drivers and modes act from now on. */
static void act_drivers(struct scene_words *w)
{
    if (scene_takes(w, "goal"))
        acting.goal = time_of(scene_number(w));
    else if (scene_takes(w, "mute"))
        acting.mute = true;
    else if (scene_takes(w, "move"))
        acting.speed = scene_number(w);
    else if (scene_takes(w, "answer")) {
        acting.mute = false;
        take_signal(w, &acting.signal, &acting.reason);
    } else
        scene_wrong(w, "no such way to act");
}

static void act_modes(struct scene_words *w)
{
    while (*w->word[w->at]) {
        if (scene_takes(w, "enough"))
            modes.enough = (uint64_t)scene_number(w);
        else if (scene_takes(w, "shift"))
            modes.shift = time_of(scene_number(w));
        else if (scene_takes(w, "wait"))
            modes.wait = time_of(scene_number(w));
        else if (scene_takes(w, "again"))
            modes.again = time_of(scene_number(w));
        else if (scene_takes(w, "expiry"))
            modes.expiry = time_of(scene_number(w));
        else
            scene_wrong(w, "modes have no such setting");
    }
}

/* ---- the play ---- */

/* [INSTANT] WHO WHAT; an instant alone is a wait. */
static void act(struct scene_words *w)
{
    struct client *c = NULL;
    if (scene_takes(w, "robot"))
        act_robot(w);
    else if (scene_takes(w, "drivers"))
        act_drivers(w);
    else if (scene_takes(w, "modes"))
        act_modes(w);
    else if (scene_takes(w, device_name[0]))
        act_device(w, 0);
    else if (scene_takes(w, device_name[1]))
        act_device(w, 1);
    else if (*w->word[w->at])
        act_client(c = need_client(w), w);
    if (*w->word[w->at])
        scene_wrong(w, "too much");
    if (c)
        c->acts = true;
    look_all();
}

/* Clients that do not open in the scene have their sessions from its begin; those of "program CLIENT ..." are all of the program that
 * serves the robot. */
static void open_clients(const struct scene *scene)
{
    struct scene_words w, own = { .word = { "program", "" } };
    memset(clients, 0, sizeof clients);
    test_modes_init(&modes, 1000);
    for (struct scene_line *line = scene->title + 1; line < scene->end; line++) {
        if (line->effect || scene_line_is_idle(line))
            continue;
        scene_split(&w, scene, line);
        if (scene_is_number(&w))
            w.at++;
        const bool program = scene_takes(&w, "program");
        for (struct client *c; (c = take_client(&w)) != NULL;) {
            if (!c->name[0]) {
                c->name[0] = (char)('a' + (c - clients));
                c->number = (uint32_t)(c - clients) + 1;
                c->role = ROBO_ROLE_OPERATE;
                if (program || strcmp(w.word[w.at], "open") != 0)
                    open_client(c, program ? &own : NULL);
            }
            if (!program)
                break;
            own.at = 0;
        }
    }
    look_all();
}

/* Counts that the monitor keeps are those of its rows and tickets. */
static void check_counts(void)
{
    const struct robo__axes *a = &robot->axes;
    unsigned held = 0, taken = 0;
    for (ROBO__EACH_AXIS(a, i))
        held += a->row[i].ticket != 0;
    for (unsigned i = 0; i < a->tickets; i++)
        taken += a->ticket[i].taken;
    assert_int_equal(a->held, held);
    assert_int_equal(a->taken, taken);
}

static bool writes(void)
{
    const char *word = getenv("ROBOTALK_SCENES");
    return word && strcmp(word, "write") == 0;
}

/* The event is over: its effects are as expected, or are written into the file. */
static int settle(const struct scene *scene, struct scene_line *event)
{
    if (!event)
        return 0;
    effects[effects_used] = 0;
    event->got = writes() ? scene_keep(effects) : effects;
    const int wrong = writes() ? 0 : scene_compare(scene, event);
    if (!writes())
        event->got = NULL;
    effects_used = 0;
    return wrong;
}

static void play(void **state)
{
    const struct scene *scene = *state;
    struct scene_line *line = scene->title + 1, *event = NULL;
    struct scene_words w;
    const char *why = why_it_differs(scene->title->text);
    int wrong = 0;
    scene_quiet = why != NULL;
    stage_clear();
    open_stage(scene, STAGE_IS_VIRTUAL);
    stage_begin();
    open_clients(scene);
    for (; line < scene->end; line++) {
        if (line->effect || scene_line_is_idle(line))
            continue;
        scene_split(&w, scene, line);
        const bool body = scene_takes(&w, "body");
        if (body && event)
            scene_wrong(&w, "the body is of the whole scene, and stands before its events");
        if (body || scene_takes(&w, "program"))
            continue;
        if (scene_is_number(&w)) {
            const robo_time until = time_of(scene_number(&w));
            if (until < robo_now(world))
                scene_wrong(&w, "that instant is over, before");
            run_until(until);
        }
        wrong += settle(scene, event);
        event = line;
        event_at = robo_now(world);
        act(&w);
        check_counts();
    }
    /* whatever is left is of a client that nobody has woken */
    for (struct client *c = clients; c < clients + CLIENTS; c++)
        if (c->there)
            client_looks(c, true);
    show_common();
    wrong += settle(scene, event);
    for (struct client *c = clients; c < clients + CLIENTS; c++)
        close_client(c);
    /* of clients that have gone nothing is counted any more */
    assert_int_equal(robot->axes.asking, 0);
    assert_int_equal(robot->timeline.queue.count, 0);
    stage_end();
    robo_release(robot);
    robo_close(world);
    if (why && wrong == 0)
        fail_msg("%s:%d: %s: it does not differ, though %s", scene->file->name,
                 scene->title->number, scene->title->text, why);
    if (why)
        print_message("%s\n    differs: %s\n", scene->title->text, why);
    else if (wrong)
        fail_msg("%s:%d: %s: %d effects differ", scene->file->name, scene->title->number,
                 scene->title->text, wrong);
}

static int play_all(const char *name)
{
    static struct CMUnitTest tests[SCENE_MOST];
    scene_files = scene_count = scene_lines = scene_used = 0;
    scene_read_all("tests/scenes", test_argument);
    for (size_t i = 0; i < scene_count; i++)
        tests[i] = (struct CMUnitTest){ .name = scenes[i].title->text,
                                        .test_func = play,
                                        .initial_state = &scenes[i] };
    const int failed = _cmocka_run_group_tests(name, tests, scene_count, NULL, NULL);
    if (writes())
        for (size_t i = 0; i < scene_files; i++)
            scene_write(&scene_file[i]);
    return failed;
}
