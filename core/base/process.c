/* Figures of this process. */
#include "process.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "time.h"

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static uint64_t read_resident(void)
{
    unsigned long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t count_files(void)
{
    uint64_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    while (readdir(folder))
        n++;
    closedir(folder);
    return n > 3 ? n - 3 : 0; /* ".", "..", and this one */
}

/* The 22nd field of stat is its start, in ticks since the machine's. The second one, its name, may have blanks. */
static double read_start(void)
{
    char text[1024];
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return 0;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *at = text + n;
    while (at > text && *at != ')')
        at--;
    for (int field = 2; *at && field < 22; at++)
        field += *at == ' ';
    if (sscanf(at, "%llu", &ticks) != 1)
        return 0;
    const double since = (double)ticks / (double)sysconf(_SC_CLK_TCK),
                 up = (double)robo__time_read(CLOCK_BOOTTIME) * 1e-9;
    return (double)robo__time_read(CLOCK_REALTIME) * 1e-9 - up + since;
}

void robo__process_read(struct robo__process *out)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *out = (struct robo__process){ .processor = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                                   .started = read_start(),
                                   .resident = read_resident(),
                                   .files = count_files() };
}
