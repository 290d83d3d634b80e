/* Which joint gets the next message on a shared bus. */
#include "bus_schedule.h"

#include <math.h>
#include <string.h>

enum { MOST = ROBO__SCHEDULE_MOST, N = ROBO__SCHEDULE_SOLVED, SUBSETS = 1 << ROBO__PLANNABLE };

enum robo_order robo__schedule_default(unsigned joints)
{
    return joints <= ROBO__PLANNABLE ? ROBO_ORDER_PLANNED : ROBO_ORDER_OPTIMAL;
}

int robo__schedule_init(struct robo__schedule *o, enum robo_order scheme, unsigned joints,
                        unsigned rows)
{
    if (joints < 1 || joints > MOST || rows < 1 || rows > ROBO__SCHEDULE_ROWS ||
        (scheme == ROBO_ORDER_PLANNED && joints > ROBO__PLANNABLE))
        return ROBO_EINVAL;
    *o = (struct robo__schedule){ .scheme = scheme,
                                  .joints = joints,
                                  .rows = rows,
                                  .damping = 1e-3,
                                  .most_messages = 4 * joints };
    for (unsigned i = 0; i < rows; i++)
        o->weight[i] = 1;
    return 0;
}

/* ---- the joint speeds that the task needs ---- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

/* J x = b for a square J, by Gaussian elimination with partial pivoting; false when J is singular, or so close to it that
 * the solution would be noise. */
static bool eliminate(const double *j, const double *b, unsigned n, double *x)
{
    double a[N * (N + 1)], *row[N]; /* b is the last column; rows in the order of their pivots */
    double part[N], largest = 0, least = HUGE_VAL; /* 1 / pivot; sizes of pivots */
    for (unsigned i = 0; i < n; i++) {
        row[i] = a + i * (n + 1);
        memcpy(row[i], j + i * n, sizeof *a * n);
        row[i][n] = b[i];
    }
    for (unsigned i = 0; i < n; i++) {
        double most = 0;
        unsigned pivot = i;
        for (unsigned k = i; k < n; k++) {
            bool more = fabs(row[k][i]) > most;
            most = more ? fabs(row[k][i]) : most;
            pivot = more ? k : pivot;
        }
        double *at = row[pivot];
        row[pivot] = row[i];
        row[i] = at;
        part[i] = 1 / at[i];
        for (unsigned k = i + 1; k < n; k++)
            add(row[k] + i + 1, -row[k][i] * part[i], at + i + 1, n - i);
        largest = most > largest ? most : largest;
        least = most < least ? most : least;
    }
    if (!(least > 1e-9 * largest))
        return false;
    for (unsigned i = n; i-- > 0;)
        x[i] = (row[i][n] - dot(row[i] + i + 1, x + i + 1, n - i - 1)) * part[i];
    return true;
}

/* a x = b for a symmetric positive definite a, of which the lower half is read: a = L D L'. b becomes x. */
static bool eliminate_symmetric(double *a, double *b, unsigned n)
{
    double part[N]; /* 1 / D */
    for (unsigned i = 0; i < n; i++) {
        double *row = a + i * n, pivot = row[i];
        for (unsigned k = 1; k < i; k++)
            row[k] -= dot(row, a + k * n, k);
        for (unsigned k = 0; k < i; k++) {
            double l = row[k] * part[k];
            pivot -= l * row[k];
            row[k] = l;
        }
        b[i] -= dot(row, b, i);
        if (!(pivot > 1e-14 * row[i]))
            return false;
        part[i] = 1 / pivot;
    }
    for (unsigned i = 0; i < n; i++)
        b[i] *= part[i];
    for (unsigned i = n; i-- > 1;)
        add(b, -b[i], a + i * n, i);
    return true;
}

/* x = J' (J J' + damping^2)^-1 b, and for more rows than columns the same by (J' J + damping^2)^-1 J' b. */
static void solve_damped(const double *j, unsigned rows, unsigned columns, const double *b,
                         double damping, double *x)
{
    double a[N * N], y[N];
    const bool wide = columns >= rows;
    const unsigned n = wide ? rows : columns;
    if (wide) {
        memcpy(y, b, sizeof *b * n);
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = 0; k <= i; k++)
                a[i * n + k] = dot(j + i * columns, j + k * columns, columns);
    } else {
        memset(y, 0, sizeof *y * n);
        memset(a, 0, sizeof *a * n * n);
        for (unsigned l = 0; l < rows; l++) {
            const double *row = j + l * columns;
            for (unsigned i = 0; i < n; i++)
                add(a + i * n, row[i], row, i + 1);
            add(y, b[l], row, n);
        }
    }
    for (unsigned i = 0; i < n; i++)
        a[i * n + i] += damping * damping;
    bool solved = eliminate_symmetric(a, y, n);
    memset(x, 0, sizeof *x * columns); /* no solution even with damping: stand still */
    for (unsigned l = 0; solved && wide && l < n; l++)
        add(x, y[l], j + l * columns, columns);
    if (solved && !wide)
        memcpy(x, y, sizeof *x * n);
}

void robo__schedule_solve(const double *jacobian, unsigned rows, unsigned columns, const double *b,
                          double damping, double *x)
{
    if (rows != columns || !eliminate(jacobian, b, rows, x))
        solve_damped(jacobian, rows, columns, b, damping, x);
}

/* ---- which joint is next ---- */

/* The criterion. With a = W J_i (u_i - sent_i) of each joint, and W r, the error that is left if nothing is sent: */
struct scales {
    double change[MOST]; /* u - sent */
    double size[MOST];   /* |a|^2 */
    double along[MOST];  /* a . W r */
    double most;         /* of the sizes */
};

/* W (wanted - J sent), or of the change W J change. */
static void what_is_left(const struct robo__schedule *o, const double *jacobian,
                         const double *wanted, const double *change, double *rest)
{
    for (unsigned i = 0; i < o->rows; i++) {
        const double *row = jacobian + i * o->joints;
        rest[i] = wanted ? wanted[i] - dot(row, o->sent, o->joints) : dot(row, change, o->joints);
        rest[i] *= o->weight[i];
    }
}

/* wanted NULL: J u. False: one of the numbers is NaN or infinite. */
static bool weigh(const struct robo__schedule *o, const double *jacobian, const double *u,
                  const double *wanted, struct scales *s)
{
    const unsigned n = o->joints;
    double rest[ROBO__SCHEDULE_ROWS], total = 0;
    for (unsigned k = 0; k < n; k++)
        s->change[k] = u[k] - o->sent[k];
    what_is_left(o, jacobian, wanted, s->change, rest);
    s->most = 0;
    for (unsigned k = 0; k < n; k++) {
        double size = 0, along = 0;
        for (unsigned i = 0; i < o->rows; i++) {
            double weighted = o->weight[i] * jacobian[i * n + k];
            size += weighted * weighted;
            along += weighted * rest[i];
        }
        size += o->own[k] * o->own[k];
        along += o->own[k] * (s->change[k] * o->own[k]);
        s->size[k] = size * s->change[k] * s->change[k];
        s->along[k] = along * s->change[k];
        if (s->size[k] > s->most)
            s->most = s->size[k];
        total += s->size[k] + fabs(s->along[k]);
    }
    return isfinite(total);
}

/* E and AE: the greatest score wins, the lowest index of equals; false when none is above 0. */
static bool best(const struct robo__schedule *o, const struct scales *s, unsigned *joint)
{
    double most = 0;
    bool found = false;
    for (unsigned k = 0; k < o->joints; k++) {
        double score = s->size[k];
        if (o->scheme == ROBO_ORDER_OPTIMAL)
            score += s->along[k];
        if (score > most) {
            most = score;
            *joint = k;
            found = true;
        }
    }
    return found;
}

/* Numbers of four sets of joints, which differ in the first two joints: the compiler makes vector operations of loops over
 * them. A set is a number whose bits are joints; it is set % FOUR of four number set / FOUR. */
enum { FOUR = 4, FOURS = SUBSETS / FOUR };
typedef double two __attribute__((vector_size(16)));
union four {
    double of[FOUR];
    two twos[FOUR / 2];
};

static inline void take_less(union four *restrict to, const union four *restrict from)
{
    for (unsigned i = 0; i < FOUR; i++)
        to->of[i] = from->of[i] < to->of[i] ? from->of[i] : to->of[i];
}

/* to = a + (b + more) */
static inline void add_more(union four *restrict to, const union four *restrict a,
                            const union four *restrict b, double more)
{
    for (unsigned i = 0; i < FOUR; i++)
        to->of[i] = a->of[i] + (b->of[i] + more);
}

/* The error of each set of n joints: joint after joint, how much it grows when the joint is added to those before
 * it. column: the change by each joint; alone: how the error grows by it alone. */
static void weigh_sets(union four *error, unsigned n, unsigned rows,
                       double column[][ROBO__SCHEDULE_ROWS], const double *alone)
{
    double more[FOURS], pair[ROBO__PLANNABLE] = { 0 };
    error[0] =
        (union four){ { 0, HUGE_VAL, HUGE_VAL, HUGE_VAL } }; /* there may be less than two joints */
    for (unsigned k = 0; k < n; k++) {
        for (unsigned l = 0; l < k; l++)
            pair[l] = 2 * dot(column[k], column[l], rows);
        const union four first = { { alone[k], alone[k] + pair[0], alone[k] + pair[1],
                                     alone[k] + pair[0] + pair[1] } };
        for (unsigned set = 0; k < 2 && set <= k; set++)
            error[0].of[set + (1u << k)] = error[0].of[set] + first.of[set];
        const unsigned half = (1u << k) / FOUR;
        more[0] = 0;
        for (unsigned l = 2; l < k; l++)
            for (unsigned set = 0; set < (1u << l) / FOUR; set++)
                more[set + (1u << l) / FOUR] = more[set] + pair[l];
        for (unsigned set = 0; set < half; set++)
            add_more(&error[set + half], &error[set], &first, more[set]);
    }
}

/* The least rest after each of four sets is known as far as other joints go; then error becomes the error plus the
 * rest. It is stored by twos, as take_less loads it: a load that has to wait for two stores takes long. */
static inline void settle(union four *error, union four *left)
{
    const double *e = error->of, *t = left->of;
    const double e3 = e[3] + t[3];
    const double e2 = e[2] + (e3 < t[2] ? e3 : t[2]);
    const double e1 = e[1] + (e3 < t[1] ? e3 : t[1]);
    const double less = e1 < t[0] ? e1 : t[0];
    left->of[0] = e2 < less ? e2 : less;
    error->twos[0] = (two){ e[0] + left->of[0], e1 };
    error->twos[1] = (two){ e2, e3 };
}

/* O: the order of all joints that need a message with the least sum of squared errors until the last is, by dynamic
 * programming over the subsets that have got theirs: T[all] = 0, T[S] = min over j not in S of |r_(S+j)|^2 + T[S+j]. |W
 * r|^2, which is part of each of them, is left out. */
static bool plan(const struct robo__schedule *o, const double *jacobian, const struct scales *s,
                 unsigned *joint)
{
    union four error[FOURS], left[FOURS];
    double column[ROBO__PLANNABLE][ROBO__SCHEDULE_ROWS], alone[ROBO__PLANNABLE];
    unsigned who[ROBO__PLANNABLE], n = 0;
    for (unsigned k = 0; k < o->joints; k++) {
        if (!(s->size[k] > 0))
            continue;
        for (unsigned i = 0; i < o->rows; i++)
            column[n][i] = o->weight[i] * jacobian[i * o->joints + k] * s->change[k];
        alone[n] = s->size[k] - 2 * s->along[k];
        who[n++] = k;
    }
    weigh_sets(error, n, o->rows, column, alone);
    /* from the last to the first: when all the sets that differ from this one only in its trailing zeros are
       known, they are the continuations of the sets without its lowest joint */
    const unsigned last = (1u << n) - 1;
    for (unsigned set = 0; set <= last / FOUR; set++)
        left[set] = (union four){ { HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL } };
    left[last / FOUR].of[last % FOUR] = 0;
    for (unsigned set = last / FOUR + 1; set-- > 0;) {
        settle(&error[set], &left[set]);
        const unsigned lowest = set & -set;
        union four *to = &left[set - lowest];
        for (const union four *from = &error[set], *end = from + lowest; from < end;)
            take_less(to++, from++);
    }
    for (unsigned k = n; k-- > 0;)
        if (error[(1u << k) / FOUR].of[(1u << k) % FOUR] <= left[0].of[0])
            *joint = who[k];
    return n > 0;
}

static bool is_lost(const struct robo__schedule *o, unsigned joint)
{
    return o->lost[joint];
}

/* Of the joints that are overdue or whose message was lost, the one with the oldest attempt. */
static bool overdue(const struct robo__schedule *o, robo_time now, unsigned *joint)
{
    bool found = false;
    for (unsigned k = 0; k < o->joints; k++) {
        bool old = (is_lost(o, k) && !o->repeated) ||
                   (o->most_messages > 0 && o->age[k] >= o->most_messages) ||
                   (o->most_time > 0 && now - o->when[k] >= o->most_time);
        if (old && (!found || o->age[k] > o->age[*joint])) {
            *joint = k;
            found = true;
        }
    }
    return found;
}

/* The schemes that go round: A, B, C, D. They are at joint o->turn; behind the last comes the broadcast. */
static bool stores(const struct robo__schedule *o)
{
    return o->scheme == ROBO_ORDER_SYNCHRONISED || o->scheme == ROBO_ORDER_PREDICTIVE;
}

static void next_turn(struct robo__schedule *o)
{
    unsigned last = stores(o) ? o->joints : o->joints - 1;
    o->turn = o->turn < last ? o->turn + 1 : 0;
}

static void go_round(struct robo__schedule *o, const double *u, struct robo_ordering_choice *choice)
{
    unsigned joint = o->turn;
    for (unsigned k = o->joints; k-- > 0;)
        if (is_lost(o, k) && !o->repeated)
            joint = k;
    if (joint == o->joints) {
        if (o->scheme == ROBO_ORDER_PREDICTIVE)
            memcpy(o->round, u, sizeof *u * o->joints);
        *choice = (struct robo_ordering_choice){ .kind = ROBO_CHOICE_SYNCHRONISE };
        return;
    }
    if (o->scheme != ROBO_ORDER_SEQUENTIAL)
        o->round[joint] = u[joint];
    else if (joint == 0 && o->turn == 0)
        memcpy(o->round, u, sizeof *u * o->joints);
    *choice =
        (struct robo_ordering_choice){ .kind = stores(o) ? ROBO_CHOICE_STORE : ROBO_CHOICE_SEND,
                                       .joint = joint,
                                       .value = o->round[joint] };
}

static int choose(struct robo__schedule *o, const double *jacobian, const double *u,
                  const double *wanted, robo_time now, struct robo_ordering_choice *choice)
{
    struct scales s;
    unsigned joint = 0;
    *choice = (struct robo_ordering_choice){ .kind = ROBO_CHOICE_NOTHING };
    if (!weigh(o, jacobian, u, wanted, &s))
        return ROBO_ERANGE;
    if (o->scheme < ROBO_ORDER_GREATEST) {
        go_round(o, u, choice);
        return 0;
    }
    bool any = overdue(o, now, &joint);
    if (!any && s.most > o->least * o->least)
        any = o->scheme == ROBO_ORDER_PLANNED ? plan(o, jacobian, &s, &joint) : best(o, &s, &joint);
    for (unsigned k = 0; !any && k < o->joints; k++)
        if (is_lost(o, k)) {
            joint = k;
            any = true;
        }
    if (any)
        *choice = (struct robo_ordering_choice){ .kind = ROBO_CHOICE_SEND,
                                                 .joint = joint,
                                                 .value = u[joint] };
    return 0;
}

int robo__schedule_pick(struct robo__schedule *o, const double *jacobian, const double *u,
                        robo_time now, struct robo_ordering_choice *choice)
{
    return choose(o, jacobian, u, NULL, now, choice);
}

int robo__schedule_choose(struct robo__schedule *o, const double *jacobian, const double *wanted,
                          robo_time now, struct robo_ordering_choice *choice)
{
    double u[N];
    if (o->joints > N)
        return ROBO_EINVAL;
    robo__schedule_solve(jacobian, o->rows, o->joints, wanted, o->damping, u);
    return choose(o, jacobian, u, wanted, now, choice);
}

void robo__schedule_sent(struct robo__schedule *o, const struct robo_ordering_choice *choice,
                         robo_time now)
{
    if (choice->kind == ROBO_CHOICE_NOTHING)
        return;
    bool all = choice->kind == ROBO_CHOICE_SYNCHRONISE;
    o->repeated = !all && is_lost(o, choice->joint);
    if (!all)
        o->lost[choice->joint] = false;
    if (all || choice->joint == o->turn)
        next_turn(o);
    for (unsigned k = 0; k < o->joints; k++) {
        bool to_it = all || choice->joint == k;
        o->age[k] = to_it ? 0 : o->age[k] + 1;
        if (!to_it || choice->kind == ROBO_CHOICE_STORE)
            continue;
        o->sent[k] = all ? o->round[k] : choice->value;
        o->when[k] = now;
    }
}

void robo__schedule_lost(struct robo__schedule *o, unsigned joint)
{
    if (joint >= o->joints)
        return;
    bool seemed_sent = o->age[joint] == 0 && !is_lost(o, joint);
    if (!seemed_sent)
        o->repeated = is_lost(o, joint);
    o->lost[joint] = true;
    if (joint == o->turn)
        next_turn(o);
    for (unsigned k = 0; k < o->joints; k++)
        o->age[k]++;
    o->age[joint] = 0;
}

robo_time robo__schedule_due(const struct robo__schedule *o)
{
    robo_time first = ROBO_NEVER;
    for (unsigned k = 0; o->most_time > 0 && k < o->joints; k++)
        if (o->when[k] + o->most_time < first)
            first = o->when[k] + o->most_time;
    return first;
}
