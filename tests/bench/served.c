/* A server that is a process of its own: the program robotalk, beside this one. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "../ids.h"

extern char **environ;

enum { PATIENCE = 100 }; /* tenths of a second, until it answers */

bool served_folder(struct served *s)
{
    char folder[] = "/tmp/robotalk-bench-XXXXXX";
    if (!mkdtemp(folder))
        return false;
    memcpy(s->folder, folder, sizeof folder);
    return true;
}

bool served_start(struct served *s, char *const argv[])
{
    char program[512], address[64], why[256];
    posix_spawn_file_actions_t quiet;
    if (!program_beside(program))
        return false;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn(&s->program, program, &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (error)
        return false;
    snprintf(address, sizeof address, "unix:%s/socket", s->folder);
    s->world = robo_open(&(struct robo_options){ .size = sizeof(struct robo_options) });
    for (int i = 0; s->world && !s->client && i < PATIENCE; i++) {
        usleep(100000);
        s->client = robo_connect(s->world, address, 5000000000, &error, why);
    }
    int64_t session = s->client ? robo_session(s->client, NULL, 5000000000) : 0;
    s->session = session > 0 ? (uint32_t)session : 0;
    return session > 0;
}

void served_pause(const struct served *s)
{
    kill(s->program, SIGSTOP);
}

void served_continue(const struct served *s)
{
    kill(s->program, SIGCONT);
}

void served_end(struct served *s)
{
    robo_disconnect(s->client);
    robo_close(s->world);
    if (s->program > 0) {
        served_continue(s);
        kill(s->program, SIGKILL);
        waitpid(s->program, NULL, 0);
    }
    DIR *folder = s->folder[0] ? opendir(s->folder) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0); /* not folders */
    if (folder)
        closedir(folder);
    rmdir(s->folder);
}
