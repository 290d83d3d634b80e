/* Any bytes as a stream of Gamebots lines, in pieces that the first byte chooses: the same lines come of any pieces, what they say
 * lies within them, and every value can be asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gamebots/line.h"

/* What has been seen: lines, and a sum over their bytes. */
struct seen {
    uint64_t lines, sum;
};

static void must(int good)
{
    if (!good)
        abort();
}

static void ask(struct robo__gb_text text)
{
    double v[3];
    int whole;
    bool flag;
    char copy[8];
    if (!robo__gb_number(text, v))
        must(fabs(v[0]) <= 1e9);
    if (!robo__gb_vector(text, v))
        must(fabs(v[0]) <= 1e9 && fabs(v[1]) <= 1e9 && fabs(v[2]) <= 1e9);
    double list[4];
    unsigned count;
    if (!robo__gb_numbers(text, list, 4, &count)) {
        must(count >= 1 && count <= 4);
        for (unsigned i = 0; i < count; i++)
            must(fabs(list[i]) <= 1e9);
    }
    robo__gb_whole(text, &whole);
    robo__gb_boolean(text, &flag);
    must(strlen(robo__gb_copy(text, copy, sizeof copy)) < sizeof copy);
}

static int is_within(struct robo__gb_text part, struct robo__gb_text whole)
{
    return part.at >= whole.at && part.n <= whole.n && part.at + part.n <= whole.at + whole.n;
}

static void look(struct robo__gb_text bytes, struct seen *seen)
{
    static struct robo__gb_line line;
    must(bytes.n > 0 && bytes.n <= ROBO__GB_LINE);
    seen->lines++;
    for (size_t i = 0; i < bytes.n; i++)
        seen->sum = seen->sum * 31 + (uint8_t)bytes.at[i];
    if (!robo__gb_parse(bytes, &line)) {
        must(line.type.n == 0 || (line.crowded && line.groups == ROBO__GB_GROUPS));
        return;
    }
    must(line.type.n > 0 && is_within(line.type, bytes) && line.groups <= ROBO__GB_GROUPS);
    for (unsigned i = 0; i < line.groups; i++) {
        must(line.group[i].name.n > 0 && is_within(line.group[i].name, bytes));
        must(line.group[i].value.n == 0 || is_within(line.group[i].value, bytes));
        ask(line.group[i].value);
        ask(line.group[i].name);
    }
}

static struct seen feed(const uint8_t *in, size_t n, size_t piece)
{
    struct robo__gb_reader reader = { .looked = 0 };
    struct seen seen = { 0, 0 };
    size_t first = 0, there = 0;
    while (there < n) {
        there += piece < n - there ? piece : n - there;
        struct robo__gb_text line;
        enum robo__gb_step step = ROBO__GB_IS_LINE;
        while (step != ROBO__GB_MORE) {
            size_t used;
            step = robo__gb_next(&reader, (const char *)in + first, there - first, &line, &used);
            must(used <= there - first);
            if (step == ROBO__GB_IS_LINE)
                look(line, &seen);
            first += used;
        }
        must(there - first <= ROBO__GB_LINE);
    }
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    if (n < 2)
        return 0;
    const struct seen whole = feed(in + 1, n - 1, n - 1), parts = feed(in + 1, n - 1, 1u + in[0]);
    must(whole.lines == parts.lines && whole.sum == parts.sum);
    return 0;
}
