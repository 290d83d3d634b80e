/* A script's runtime: one Lua state, the world it lives in, and the loop its connections live on. All of it belongs to one thread. The
 * program has one for its main script, which owns the world, the terminal and the signals of the system, and one for each hosted script
 * (hosted.c), which live in the same world. Every occurrence (a timer, an answer, a signal) becomes an event here, plain numbers,
 * without Lua; the script's scheduler (scripts/robotalk/task.lua) takes the events with core.next. */
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdatomic.h>

#include "robotalk/messages.h"
#include "robotalk/images.h"
#include "robotalk/mode.h"
#include "robotalk/picture.h"
#include "robotalk/records.h"
#include "table.h"
#include "watchdog.h"

enum event_kind {
    EVENT_TIMER,
    EVENT_CLIENT,
    EVENT_SIGNAL,
    EVENT_READABLE,
    EVENT_DEVICE,
    EVENT_LINE,
    EVENT_QUESTION,
    EVENT_HOSTED,
    EVENT_SCREEN,
    EVENT_IMAGES,
    EVENT_BRIDGE,
    EVENT_KINDS
};

struct event {
    int kind;
    lua_Integer a, b;
};

struct alarm;
struct bridge_box;
struct claim;
struct client_box;
struct folder;
struct hosted;
struct input;
struct topic;
struct look;
struct modes;
struct port;
struct sender;
struct server_box;
struct task;
struct tasks;

struct runtime {
    lua_State *L;
    const char *name;      /* of a hosted script; NULL: the program's main one */
    _Atomic size_t memory; /* its own thread writes it, others read it */
    size_t memory_most;
    uint64_t key; /* of a hosted script, whose connections are one client; 0: of the world */
    atomic_bool dismissed; /* a hosted script: it commands nothing any more */
    atomic_bool reaches; /* it has connected elsewhere, and its loop is shared with the watchdog */
    robo_world *world;
    robo_loop *loop;
    robo_driver driver;        /* of devices that scripts drive */
    struct modes *modes;       /* of connections within this process */
    robo_questions *questions; /* of clients' protocols to the script */

    struct event *event; /* a ring */
    size_t event_first, event_count, event_size;
    bool event_lost;      /* there was no memory for one */
    struct alarm **alarm; /* all that were ever made; those of alarm_free are not set */
    struct alarm *alarm_free;
    uint32_t alarm_size, alarms; /* alarms: how many are set */
    lua_Integer alarms_set;      /* ever */
    lua_Integer last_handle;

    struct tasks *tasks;
    struct client_box *clients; /* open ones */
    struct server_box *servers;
    struct recording_box *recordings;
    struct port *ports;
    struct input *inputs;
    struct topic *topics;       /* of DDS */
    struct sender *senders;     /* of pictures */
    struct folder *folders;     /* that pictures are kept in */
    struct claim *claims;       /* of devices whose driver is a script */
    struct bridge_box *bridges; /* open ones */
    struct look *looks;         /* that were begun */
    struct hosted *hosted;      /* the scripts that the main one hosts */

    /* slices of computing (coroutine.c); atomic members are for the watchdog */
    double budget;              /* seconds of processor time of a slice; 0: none */
    _Atomic uint32_t slice;     /* a number for each; odd: the script computes, even: it waits */
    _Atomic robo_time limit;    /* of this slice, ns; 0: none */
    _Atomic uint32_t cut_slice; /* the slice that is to be cut off */
    atomic_int cut_by;          /* the signal that did it; 0: its limit */
    lua_State *_Atomic running; /* the coroutine that runs; NULL: none may be interrupted */
    bool in_task, was_cut;
    bool ending;              /* the <close> variables of a task that has ended are being closed */
    int closing;              /* coroutines that are being closed, and so cannot be suspended */
    int chances;              /* of those, slices that they get beyond the first */
    char place[SCRIPT_PLACE]; /* where it was cut off, or wanted too much memory */

    atomic_int signal_number; /* the last one received */
    atomic_bool signal_waits; /* to become an event */
    struct watched watched;
};

/* The runtime of any state or coroutine made from it. */
struct runtime *runtime_of(lua_State *L);

/* Memory that the script holds outside of Lua counts as its memory: the first raises when it has too much. */
void memory_take(lua_State *L, size_t bytes);
void memory_give(lua_State *L, size_t bytes);

/* NULL: out of memory. The state has the standard libraries and finds embedded modules. name: of a hosted script, which
 * outlives it. */
struct runtime *runtime_open(const char *name);
void runtime_close(struct runtime *rt);

/* The world, opened with a real clock if none is yet. Raises when it cannot. */
void runtime_need_world(lua_State *L);
/* The same for a hosted script: the world of the main one, with a loop of its own. An enum robo_error. */
int runtime_enter_world(struct runtime *rt, robo_world *world);
/* Closes the world and all that lives in it; a hosted script only leaves it, with all that is its own. */
void runtime_close_world(struct runtime *rt);
/* A hosted script is to end: it begins to command nothing any more. For any thread. false: that was noted before. Else the
 * caller has the robots dismiss its key, but under no lock: a robot may have its caller wait for a driver. */
bool runtime_note_dismissal(struct runtime *rt);
/* Raises for a hosted script: the resource is the program's, and so the main script's. what: for the error. */
void need_main(lua_State *L, const char *what);

/* ---- loading.c ---- */

/* Functions of Lua that load files: text only, and require finds the embedded ones. */
void furnish_loaders(lua_State *L);

/* ---- coroutine.c ---- */

/* The script computes from here on, with its whole budget; it waits. */
void slice_begin(struct runtime *rt);
void slice_end(struct runtime *rt);
/* A hook: cuts the slice off if it is to be. */
void slice_cut(lua_State *L, lua_Debug *ar);
/* Resumes co with the n values at its own top, for a slice of so many seconds, if that is less than the budget; 0: the
 * budget. How it ended, and at the top of L its results, as table.pack has them, its error, or why it was cut off. The
 * caller begins a slice of its own. Raises nothing: without memory it fails. */
enum slice_end { SLICE_WAITS, SLICE_DONE, SLICE_FAILED, SLICE_CUT };
enum slice_end slice_run(lua_State *L, lua_State *co, double most, int n);
/* The same to Lua: 0; true, false or nil, put below the top value. How many values. */
int push_slice_end(lua_State *L, enum slice_end end);
/* Ends the task that runs, as if it were cut off: no pcall catches that. */
int slice_leave(lua_State *L);
/* "file:line: " of the first Lua function from that level on, rather one of a user's than one of the library; "" if
 * there is none. Allocates nothing. */
void script_place(lua_State *L, int level, char place[SCRIPT_PLACE]);

/* ---- task.c ---- */

/* Its alarm is due. */
void task_time_out(struct runtime *rt, struct task *t);
void close_tasks(struct runtime *rt);

/* ---- library.c ---- */

struct library_symbol {
    const char *name;
    void *address; /* of a pointer to the function or variable */
};

/* Loads a library, of a Debian package, and finds those symbols, up to one without a name. Raises when it cannot. */
void need_library(lua_State *L, const char *file, const char *package,
                  const struct library_symbol *symbols);

/* ---- terminal.c, screen.c and output.c ---- */

/* Hides the line that is being typed, for something to be written; false: none is. show brings it back. The loop's thread. */
bool prompt_hide(void);
void prompt_show(void);

/* Restores the terminal as it was before the whole of it was taken, if it was; from any thread, and allowed in a handler of signals. */
void screen_restore(void);

/* Output to a terminal waits from hold to release. */
void output_hold(void);
void output_release(void);

/* While a line is being typed, lines of the log wait until output_show, which `async` calls on the loop's thread; NULL: none is
 * typed. */
void output_prompt(robo_async *async);
void output_show(void);

/* A line to the log, from any thread, "robotalk: LEVEL: …\n": the time is put before it. It is left out and counted
 * when the reader is gone. */
void output_log(const char *text, size_t n);

/* A robot of that name is added: lines about it are known by it. */
void output_robot(const char *name);

/* From now on lines have the time of that world, if it is simulated; else real time. NULL: the world goes. */
void output_world(const robo_world *world);

/* At the program's end: the number of log lines that were left out is written, if possible; 0, or the errno for which
 * the output could not be written. */
int output_end(void);

/* ---- client.c ---- */

/* The script is to end: robo_client_dismiss for all its clients; from the watchdog's thread. false: its loop is busy just now. */
bool dismiss_clients(struct runtime *rt);
/* It goes on; on its own thread. */
void readmit_clients(struct runtime *rt);

/* ---- events.c ---- */

void runtime_event(struct runtime *rt, enum event_kind kind, lua_Integer a, lua_Integer b);
/* Makes room for one alarm more; raises when there is no memory, or too many alarms are set. */
void alarm_reserve(lua_State *L);
/* Its task is notified at that time, when core.next comes to it: a handle, until then or until it is stopped. Raises
 * when there is no room, and then nothing has changed. */
lua_Integer alarm_start(lua_State *L, robo_time at, struct task *t);
void alarm_stop(struct runtime *rt, lua_Integer handle);

/* The mesh at that place, as long as it stays there; NULL: it is none (core.mesh). */
robo_mesh *test_mesh(lua_State *L, int at);

/* nil, message, code: the world's failure as Lua sees it. why NULL: the error's own text, for ROBO_ESYSTEM with errno. */
int push_failure(lua_State *L, int error, const char *why);

/* Of what has succeeded true, else push_failure. */
int push_done(lua_State *L, int error, const char *why);

/* Takes an object out of a list that is linked by `next`, if it is in it. */
#define TAKE_OUT(list, object)             \
    do {                                   \
        __typeof__(object) *at_ = &(list); \
        while (*at_ && *at_ != (object))   \
            at_ = &(*at_)->next;           \
        if (*at_)                          \
            *at_ = (object)->next;         \
    } while (0)

/* Raises a mistake of the library's caller, with the caller's line and not the library's. */
void raise_mistake(lua_State *L, const char *form, ...) __attribute__((noreturn));

/* The index of the name at the top of the stack, which stays there, in a list that ends with NULL; nil counts
 * as otherwise, unless that is NULL. Raises a mistake that names all of them. */
int check_choice(lua_State *L, const char *what, const char *otherwise, const char *const *words);

/* Raises a mistake for a field of a table, also for a field meant by nil, that is not in a list which ends with
 * NULL. what: the function that takes it. */
void check_options(lua_State *L, int table, const char *what, const char *const *names);

/* Nanoseconds from seconds; raises for an invalid time. */
robo_time check_time(lua_State *L, int arg);
robo_time opt_time_field(lua_State *L, int table, const char *name, robo_time otherwise);

/* A picture as a table: number, time, width, height, format, bytes. */
void push_picture(lua_State *L, const struct robo_picture *picture);
/* The name of a format, of picture formats; raises. */
enum robo_picture_format check_picture_format(lua_State *L, int at);
/* The kind of a shape of that name, enum robo_shape_kind; raises. */
unsigned check_shape(lua_State *L, int at);
/* A table of the fields of robotalk/link.h struct robo_channel, in seconds and bytes. */
void check_channel(lua_State *L, int table, struct robo_channel *channel);
/* stall = { least, most } in seconds; nothing is written when the field is missing. */
void check_stall_field(lua_State *L, int table, robo_time *least, robo_time *most);

/* The fields of robotalk/test.h struct robo_test_lag of the only argument, in seconds and bytes; the stack has a value more. */
struct robo_test_lag;
void check_lag(lua_State *L, struct robo_test_lag *lag);

/* parts of robotalk.core, one a file; each adds its functions to the table on top of the stack */
void open_scripts(lua_State *L);
void open_events(lua_State *L);
void open_clients(lua_State *L);
void open_world(lua_State *L);
void open_room(lua_State *L);
void open_shapes(lua_State *L);
void open_convert(lua_State *L);
void open_codec(lua_State *L);
void open_description(lua_State *L);
void open_models(lua_State *L);
void open_ordering(lua_State *L);
void open_faults(lua_State *L);
void open_relay(lua_State *L);
void open_lan(lua_State *L);
void open_terminal(lua_State *L);
void open_screen(lua_State *L);
void open_ports(lua_State *L);
void open_inputs(lua_State *L);
void open_topics(lua_State *L);
void open_servos(lua_State *L);
void open_questions(lua_State *L);
void open_pictures(lua_State *L);
void open_views(lua_State *L);
void open_compression(lua_State *L);
void open_film(lua_State *L);
void open_images(lua_State *L);
void open_mcap(lua_State *L);
void open_recordings(lua_State *L);
void open_gti(lua_State *L);
void open_bridges(lua_State *L);
void open_rctp(lua_State *L);
void open_devices(lua_State *L);
void open_process(lua_State *L);
void open_files(lua_State *L);
void open_secrets(lua_State *L);
void open_output(lua_State *L);
void open_xml(lua_State *L);
void open_rcml(lua_State *L);
void open_vrml(lua_State *L);
void open_data(lua_State *L);
void open_contained(lua_State *L);
void open_coroutines(lua_State *L);
void open_hosted(lua_State *L);
void open_tasks(lua_State *L);

/* The world closes: objects that live in it are closed. */
void stop_hosted(struct runtime *rt); /* orders them to end */
void close_clients(struct runtime *rt);
void close_bridges(struct runtime *rt);
void close_servers(struct runtime *rt);
void close_recordings(struct runtime *rt); /* before the robots */
/* A robot was added: those who record all have it, too. */
void record_robot(struct runtime *rt, robo_robot *robot);
void halt_devices(struct runtime *rt); /* that were not closed, as long as they have their ports */
void close_hosted(struct runtime *rt); /* waits for them: they use things closed after them */
void close_events(struct runtime *rt);
void close_ports(struct runtime *rt);
void close_inputs(struct runtime *rt);
void close_topics(struct runtime *rt);
void close_images(struct runtime *rt);  /* after the servers */
void close_devices(struct runtime *rt); /* after the robots, whose devices they are */
/* A new world has them; false: out of memory. Closed after all that may ask. */
bool begin_questions(struct runtime *rt);
void close_questions(struct runtime *rt);
/* Waits for looks at the world. */
void close_views(struct runtime *rt);
void close_terminal(struct runtime *rt);
void close_screen(struct runtime *rt);
/* from now on signals that would end the program do nothing */
void close_process(struct runtime *rt);
/* Ends the program by that signal, so that its parent process sees one: a shell leaves its loop, systemd takes SIGTERM
 * for an orderly end. Buffered output is not written. */
_Noreturn void end_by_signal(int number);
void restore_signals(void); /* after the robots were halted */

/* ---- convert.c ---- */

/* A struct as a table with its fields, times in seconds. */
void push_message(lua_State *L, const struct robo_message *message, const void *msg);
/* Fills msg from the table at `index`; missing fields are 0. Raises for a wrong type or a field that is not
 * there, unless it is one of `others` (NULL-terminated, may be NULL). what: for the error. */
void check_message(lua_State *L, int index, const struct robo_message *message, void *msg,
                   const char *const *others, const char *what);
void push_result(lua_State *L, const struct robo_result *result);
/* The body of a frame is left on the stack, and must stay there as long as the command is used. */
void check_command(lua_State *L, int index, struct robo_cmd *cmd);
/* The same back, except a frame. Of a command to a joint, values that its mask does not name are nil. */
void push_command(lua_State *L, const struct robo_cmd *cmd);

/* ---- state.c ---- */

/* A struct robo_state, or robo_reply_state of which was asked for more than that, with the names of the list at that index
 * of the stack: a table; nil, message, code when it is of another body. How many results. */
int push_state(lua_State *L, int names, unsigned more, const void *reply);

/* ---- moves.c ---- */

/* The frame of the table at `index`, left on the stack. Raises for an invalid one. */
struct robo_move *check_move(lua_State *L, int index);
/* The same back, except its start: into the table at the top. */
void set_move(lua_State *L, const struct robo_move *move);
/* The results of parts, as a list of { kind =, number =, signal =, reason = }; brief: only of those that were left out
 * or clipped. false: of none, and nothing was pushed. */
bool push_parts(lua_State *L, const struct robo_part *parts, size_t n, bool brief);

/* ---- options.c ---- */
/* Options of a driver from the table at `index`; leaves a userdatum on the stack, and they last as long as it and
 * the table. Raises for an invalid option. */
void check_device_options(lua_State *L, int index, struct robo_binding *binding);
void push_device_options(lua_State *L, const struct robo_binding *binding);

/* ---- description.c ---- */
#define BODY "robotalk.model"                  /* as scripts know them */
robo_body *check_body(lua_State *L, int arg);  /* the script's */
void push_body(lua_State *L, robo_body *body); /* which the script holds, too */
/* The same into a state that is no script's, as a sandbox, after open_models there; it does not count as its memory. */
void push_body_apart(lua_State *L, robo_body *body);
int body_gc(lua_State *L);
int body_eq(lua_State *L);

/* ---- images.c: the open folder of pictures at that place of the stack; raises for anything else ---- */
struct robo_images *check_image_folder(lua_State *L, int arg);

/* ---- ports.c: the port at that place of the stack; raises for anything else ---- */
int port_fd(lua_State *L, int arg); /* an open one's */
/* From now on writes to it pass that device. */
void port_give(lua_State *L, int arg, lua_Integer device);
/* claims.c: port:write of a port that belongs to a device: pushes its results. */
int device_port_write(lua_State *L, lua_Integer handle, const char *bytes, size_t n);

/* ---- modes.c ---- */
struct modes *modes_open(void);
void modes_close(struct modes *modes);
int modes_add(struct modes *modes, const char *name, const char *text, size_t size, char why[256]);
/* From now on that loop has them, and those that are added; loop NULL: none. The loop goes before they do. An enum
 * robo_error. */
int modes_use(struct modes *modes, robo_loop *loop, bool is_virtual);
/* They are called in a world with such a clock from now on. */
void modes_begin(struct modes *modes, bool is_virtual);
/* As many of them as there is room for, until others are added; how many there are. */
size_t modes_list(struct modes *modes, struct robo_mode *out, size_t room);
