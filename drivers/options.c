/* Reading a driver's options by its table. */
#include "options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct robo_option *robo__option(const struct robo_binding *binding, const char *name)
{
    for (unsigned i = 0; i < binding->options; i++)
        if (strcmp(binding->option[i].name, name) == 0)
            return &binding->option[i];
    return NULL;
}

const struct robo_option *robo__option_of_dof(const struct robo_description *d, unsigned device,
                                              const struct robo_joint *j, unsigned k)
{
    char name[72];
    snprintf(name, sizeof name, "%s.%s", j->name, d->dof[j->first + k].name);
    const struct robo_option *option = robo__option(&d->device[device], name);
    if (!option) {
        snprintf(name, sizeof name, "%s.%u", j->name, k);
        option = robo__option(&d->device[device], name);
    }
    return option || j->dofs != 1 ? option : robo__option(&d->device[device], j->name);
}

/* Wheels of a base are shapes of its root that roll and are driven, numbered from 1. */
static bool names_wheel(const struct robo_description *d, const char *name)
{
    unsigned wheels = 0, number = 0;
    char end;
    for (unsigned i = 0; i < d->shapes; i++)
        wheels += d->shape[i].link == 0 &&
                  (d->shape[i].roll == ROBO_ROLL_WHEEL || d->shape[i].roll == ROBO_ROLL_OMNI);
    return sscanf(name, "wheel%3u%c", &number, &end) == 1 && number >= 1 && number <= wheels;
}

bool robo__option_names_dof(const struct robo_description *d, unsigned device, const char *name)
{
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs && d->joint[i].device == device; k++) {
            const struct robo_option *option = robo__option_of_dof(d, device, &d->joint[i], k);
            if (option && strcmp(option->name, name) == 0)
                return true;
        }
    return names_wheel(d, name);
}

__attribute__((format(printf, 2, 3))) static int wrong(char why[128], const char *form, ...)
{
    va_list args;
    va_start(args, form);
    vsnprintf(why, 128, form, args);
    va_end(args);
    return ROBO_EINVAL;
}

/* ---- unknown names ---- */

/* How many substrings of that length in `b` have a match of their own in `a`. */
static size_t common(const char *a, size_t m, const char *b, size_t n, size_t length)
{
    uint64_t taken = 0; /* those in `a`, by where they begin */
    size_t count = 0;
    for (size_t k = 0; k + length <= n; k++)
        for (size_t i = 0; i + length <= m; i++) {
            if (taken >> i & 1 || strncasecmp(a + i, b + k, length) != 0)
                continue;
            taken |= (uint64_t)1 << i;
            count++;
            break;
        }
    return count;
}

/* Similarity of two names, 0 to 1, by their letters and by their pairs of neighbouring letters. */
static double likeness(const char *a, const char *b)
{
    size_t m = strnlen(a, ROBO_MAX_OPTION_NAME), n = strlen(b);
    double letters = (double)common(a, m, b, n, 1) / (double)(m + n);
    return letters + (m + n > 2 ? (double)common(a, m, b, n, 2) / (double)(m + n - 2) : 0);
}

/* Takes a name that is more alike than those before it. */
static void compare(const char *name, const char *other, double *most, char meant[72])
{
    const double alike = likeness(name, other);
    if (alike <= *most)
        return;
    *most = alike;
    snprintf(meant, 72, "%s", other);
}

/* The names of options of the device's dofs that have none yet; the first of them into `first`. */
static void compare_dofs(const struct robo_description *d, unsigned device, const char *name,
                         double *most, char meant[72], char first[72])
{
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs && d->joint[i].device == device; k++) {
            const struct robo_joint *j = &d->joint[i];
            char other[72];
            if (robo__option_of_dof(d, device, j, k))
                continue;
            snprintf(other, sizeof other, "%.32s%s%.32s", j->name, j->dofs > 1 ? "." : "",
                     j->dofs > 1 ? d->dof[j->first + k].name : "");
            compare(name, other, most, meant);
            if (!*first)
                memcpy(first, other, sizeof other);
        }
}

static int unknown(const struct robo__option_table *table, const struct robo_description *d,
                   unsigned device, const char *name, char why[128])
{
    char meant[72] = "", first[72] = "", list[128] = "";
    double most = 0.49;
    for (size_t i = 0, used = 0; i < table->rows; i++) {
        const char *other = table->row[i].name;
        compare(name, other, &most, meant);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", other);
    }
    if (table->reads)
        compare_dofs(d, device, name, &most, meant, first);
    if (table->rows == 0)
        return wrong(why, "%.40s: this driver has no options", name);
    if (*meant)
        return wrong(why, "%.40s: did you mean '%.40s'? expected one of %s", name, meant, list);
    if (*first)
        return wrong(why, "%.40s: expected a dof, as %.32s, or one of %s", name, first, list);
    return wrong(why, "%.40s: expected one of %s", name, list);
}

static bool is_read(const struct robo__option_table *table, const struct robo_description *d,
                    unsigned device, const char *name)
{
    for (size_t i = 0; i < table->rows; i++)
        if (strcmp(table->row[i].name, name) == 0)
            return true;
    return table->reads && table->reads(d, device, name);
}

/* ---- values ---- */

static int not_this(const struct robo__option_row *row, const struct robo_option *o, char why[128])
{
    char what[64], got[64];
    const char *noun = row->type == ROBO_OPTION_INTEGER ? "a whole number" : "a number";
    if (row->type == ROBO_OPTION_FLAG)
        snprintf(what, sizeof what, "true or false");
    else if (row->type == ROBO_OPTION_TEXT)
        snprintf(what, sizeof what, "%.63s", row->needed ? row->needed : "a text");
    else
        snprintf(what, sizeof what, "%s, %.12g to %.12g", noun, row->least, row->most);
    switch (o->type) {
    case ROBO_OPTION_FLAG: snprintf(got, sizeof got, o->value.integer ? "true" : "false"); break;
    case ROBO_OPTION_INTEGER: snprintf(got, sizeof got, "%lld", (long long)o->value.integer); break;
    case ROBO_OPTION_REAL: snprintf(got, sizeof got, "%.14g", o->value.real); break;
    default: snprintf(got, sizeof got, "\"%.40s\"", o->value.text);
    }
    return wrong(why, "%s: expected %s, got %s", row->name, what, got);
}

static bool read_number(const struct robo__option_row *row, const struct robo_option *o,
                        double *out)
{
    if (o->type != ROBO_OPTION_REAL && o->type != ROBO_OPTION_INTEGER)
        return false;
    *out = o->type == ROBO_OPTION_REAL ? o->value.real : (double)o->value.integer;
    return *out >= row->least && *out <= row->most;
}

static int read_row(const struct robo__option_row *row, const struct robo_option *o, void *member,
                    char why[128])
{
    double number = row->otherwise;
    const char *text = NULL;
    if (!o && row->needed)
        return wrong(why, "%s: expected %s, got nothing", row->name, row->needed);
    bool is_number = row->type == ROBO_OPTION_INTEGER || row->type == ROBO_OPTION_REAL;
    if (o && is_number) {
        if (!read_number(row, o, &number) ||
            (row->type == ROBO_OPTION_INTEGER && number != floor(number)))
            return not_this(row, o, why);
    } else if (o) {
        if (o->type != row->type || (row->needed && o->type == ROBO_OPTION_TEXT && !*o->value.text))
            return not_this(row, o, why);
        if (o->type == ROBO_OPTION_TEXT)
            text = o->value.text;
        else
            number = (double)o->value.integer;
    }
    switch (row->type) {
    case ROBO_OPTION_FLAG: *(bool *)member = number != 0; break;
    case ROBO_OPTION_INTEGER: *(int64_t *)member = (int64_t)number; break;
    case ROBO_OPTION_REAL: *(double *)member = number; break;
    default: *(const char **)member = text;
    }
    return 0;
}

int robo__options_read(const struct robo__option_table *table, const struct robo_description *d,
                       unsigned device, void *out, char why[128])
{
    const struct robo_binding *binding = &d->device[device];
    for (unsigned i = 0; i < binding->options; i++)
        if (!is_read(table, d, device, binding->option[i].name))
            return unknown(table, d, device, binding->option[i].name, why);
    for (size_t i = 0; i < table->rows; i++) {
        const struct robo__option_row *row = &table->row[i];
        int error = read_row(row, robo__option(binding, row->name), (char *)out + row->offset, why);
        if (error < 0)
            return error;
    }
    return 0;
}

int robo__options_open(const struct robo__option_table *table, const robo_device *device, void *out)
{
    char why[128];
    int error = robo__options_read(table, robo_device_description(device),
                                   (unsigned)robo_device_index(device), out, why);
    if (error < 0)
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
    return error;
}
