/* Ordering of commands. */
#include "order.h"

#include <math.h>
#include <string.h>

enum { N = ROBO__ORDER_MOST, ROWS = ROBO__ORDER_ROWS, SUBSETS = 1 << ROBO__ORDER_PLANNABLE };

int robo__order_init(struct robo__order *o, enum robo__order_scheme scheme, unsigned joints,
                     unsigned rows)
{
    if (joints < 1 || joints > N || rows < 1 || rows > ROWS ||
        (scheme == ROBO__ORDER_PLANNED && joints > ROBO__ORDER_PLANNABLE))
        return ROBO_EINVAL;
    *o = (struct robo__order){ .scheme = scheme,
                               .joints = joints,
                               .rows = rows,
                               .damping = 1e-3,
                               .most_messages = 4 * joints };
    for (unsigned i = 0; i < rows; i++)
        o->weight[i] = 1;
    return 0;
}

/* ---- the speeds that would be right ---- */

/* Gaussian elimination with partial pivoting; false for a matrix that is singular, or so close to it that the solution
 * would be noise. a and b are spoilt. */
static bool eliminate(double *a, double *b, unsigned n, double *x)
{
    double largest = 0;
    for (unsigned i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(a[i]));
    for (unsigned i = 0; i < n; i++) {
        unsigned pivot = i;
        for (unsigned k = i + 1; k < n; k++)
            if (fabs(a[k * n + i]) > fabs(a[pivot * n + i]))
                pivot = k;
        if (!(fabs(a[pivot * n + i]) > 1e-9 * largest))
            return false;
        for (unsigned k = i; pivot != i && k < n; k++) {
            double t = a[i * n + k];
            a[i * n + k] = a[pivot * n + k];
            a[pivot * n + k] = t;
        }
        double t = b[i];
        b[i] = b[pivot];
        b[pivot] = t;
        for (unsigned k = i + 1; k < n; k++) {
            double factor = a[k * n + i] / a[i * n + i];
            for (unsigned j = i + 1; j < n; j++)
                a[k * n + j] -= factor * a[i * n + j];
            b[k] -= factor * b[i];
        }
    }
    for (unsigned i = n; i-- > 0;) {
        double sum = b[i];
        for (unsigned k = i + 1; k < n; k++)
            sum -= a[i * n + k] * x[k];
        x[i] = sum / a[i * n + i];
    }
    return true;
}

/* By the smaller of J J' and J' J, with damping^2 on its diagonal. */
static void solve_damped(const double *j, unsigned rows, unsigned columns, const double *b,
                         double damping, double *x)
{
    static _Thread_local double a[N * N];
    double y[N], right[N];
    bool wide = columns >= rows;
    unsigned n = wide ? rows : columns;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < n; k++) {
            double sum = i == k ? damping * damping : 0;
            for (unsigned l = 0; l < (wide ? columns : rows); l++)
                sum += wide ? j[i * columns + l] * j[k * columns + l]
                            : j[l * columns + i] * j[l * columns + k];
            a[i * n + k] = sum;
        }
        right[i] = wide ? b[i] : 0;
        for (unsigned l = 0; !wide && l < rows; l++)
            right[i] += j[l * columns + i] * b[l];
    }
    if (!eliminate(a, right, n, y))
        memset(y, 0, sizeof y); /* not even damped: stand still */
    for (unsigned i = 0; i < columns; i++) {
        x[i] = wide ? 0 : y[i];
        for (unsigned l = 0; wide && l < rows; l++)
            x[i] += j[l * columns + i] * y[l];
    }
}

void robo__order_solve(const double *jacobian, unsigned rows, unsigned columns, const double *b,
                       double damping, double *x)
{
    if (rows == columns) {
        static _Thread_local double a[N * N];
        double right[N];
        memcpy(a, jacobian, sizeof *a * rows * columns);
        memcpy(right, b, sizeof *b * rows);
        if (eliminate(a, right, rows, x))
            return;
    }
    solve_damped(jacobian, rows, columns, b, damping, x);
}

/* ---- who comes next ---- */

/* What is weighed: for each joint a = W J_i (u_i - sent_i), and W r, what is left of the error with nothing sent. */
struct scales {
    double a[N][ROWS]; /* [joint][row] */
    double rest[ROWS];
    double most; /* the greatest |a|^2 */
};

/* wanted NULL: J u. False for what is no number. */
static bool weigh(const struct robo__order *o, const double *jacobian, const double *u,
                  const double *wanted, struct scales *s)
{
    double most = 0, total = 0;
    memset(s->rest, 0, sizeof *s->rest * o->rows);
    for (unsigned k = 0; k < o->joints; k++) {
        double size = 0;
        for (unsigned i = 0; i < o->rows; i++) {
            double a = o->weight[i] * jacobian[i * o->joints + k] * (u[k] - o->sent[k]);
            s->a[k][i] = a;
            s->rest[i] += a;
            size += a * a;
        }
        most = fmax(most, size);
        total += size;
    }
    for (unsigned i = 0; wanted && i < o->rows; i++) {
        double given = 0;
        for (unsigned k = 0; k < o->joints; k++)
            given += jacobian[i * o->joints + k] * o->sent[k];
        s->rest[i] = o->weight[i] * (wanted[i] - given);
    }
    for (unsigned i = 0; i < o->rows; i++)
        total += s->rest[i] * s->rest[i];
    s->most = most;
    return isfinite(total);
}

static double dot(const double *a, const double *b, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* E and AE: the greatest score wins, the lowest index of equals; false when none is above 0. */
static bool best(const struct robo__order *o, const struct scales *s, unsigned *joint)
{
    double most = 0;
    bool found = false;
    for (unsigned k = 0; k < o->joints; k++) {
        double score = dot(s->a[k], s->a[k], o->rows);
        if (o->scheme == ROBO__ORDER_ALIGNED)
            score += dot(s->a[k], s->rest, o->rows);
        if (score > most) {
            most = score;
            *joint = k;
            found = true;
        }
    }
    return found;
}

/* O: the order of all joints that have something to be told with the least sum of squared errors until the last is, by
 * dynamic programming over the subsets that have been told: T[all] = 0, T[S] = min over j not in S of |r_(S+j)|^2 +
 * T[S+j]. */
static bool plan(const struct robo__order *o, const struct scales *s, unsigned *joint)
{
    static _Thread_local double cost[SUBSETS], left[SUBSETS];
    unsigned who[ROBO__ORDER_PLANNABLE], n = 0;
    for (unsigned k = 0; k < o->joints; k++)
        if (dot(s->a[k], s->a[k], o->rows) > 0)
            who[n++] = k;
    const unsigned all = (1u << n) - 1;
    for (unsigned set = 0; set <= all; set++) {
        cost[set] = 0;
        for (unsigned i = 0; i < o->rows; i++) {
            double r = s->rest[i];
            for (unsigned k = 0; k < n; k++)
                r -= set >> k & 1 ? s->a[who[k]][i] : 0;
            cost[set] += r * r;
        }
    }
    left[all] = 0;
    for (unsigned set = all; set-- > 0;) {
        left[set] = HUGE_VAL;
        for (unsigned k = 0; k < n; k++) {
            unsigned with = set | 1u << k;
            if (with == set)
                continue;
            double sum = cost[with] + left[with];
            if (sum < left[set]) {
                left[set] = sum;
                if (set == 0)
                    *joint = who[k];
            }
        }
    }
    return n > 0;
}

static bool is_lost(const struct robo__order *o, unsigned joint)
{
    return o->lost >> joint & 1;
}

/* A joint that was not told for too long or whose message was lost: the one that was tried longest ago. */
static bool overdue(const struct robo__order *o, robo_time now, unsigned *joint)
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

static bool finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* The schemes that go round: A, B, C, D. They are at joint o->turn; behind the last comes the broadcast. */
static bool stores(const struct robo__order *o)
{
    return o->scheme == ROBO__ORDER_SYNCHRONISED || o->scheme == ROBO__ORDER_PREDICTIVE;
}

static void next_turn(struct robo__order *o)
{
    unsigned last = stores(o) ? o->joints : o->joints - 1;
    o->turn = o->turn < last ? o->turn + 1 : 0;
}

static void go_round(struct robo__order *o, const double *u, struct robo__choice *choice)
{
    unsigned joint = o->turn;
    for (unsigned k = o->joints; k-- > 0;)
        if (is_lost(o, k) && !o->repeated)
            joint = k;
    if (joint == o->joints) {
        if (o->scheme == ROBO__ORDER_PREDICTIVE)
            memcpy(o->round, u, sizeof *u * o->joints);
        *choice = (struct robo__choice){ .kind = ROBO__SYNCHRONISE };
        return;
    }
    if (o->scheme != ROBO__ORDER_SEQUENTIAL)
        o->round[joint] = u[joint];
    else if (joint == 0 && o->turn == 0)
        memcpy(o->round, u, sizeof *u * o->joints);
    *choice = (struct robo__choice){ .kind = stores(o) ? ROBO__STORE : ROBO__SEND,
                                     .joint = joint,
                                     .value = o->round[joint] };
}

static int choose(struct robo__order *o, const double *jacobian, const double *u,
                  const double *wanted, robo_time now, struct robo__choice *choice)
{
    static _Thread_local struct scales s;
    if (!finite_all(u, o->joints))
        return ROBO_ERANGE;
    if (o->scheme < ROBO__ORDER_OPTIMAL) {
        go_round(o, u, choice);
        return 0;
    }
    if (!weigh(o, jacobian, u, wanted, &s))
        return ROBO_ERANGE;
    unsigned joint = 0;
    bool any = overdue(o, now, &joint);
    if (!any && s.most > o->least * o->least)
        any = o->scheme == ROBO__ORDER_PLANNED ? plan(o, &s, &joint) : best(o, &s, &joint);
    for (unsigned k = 0; !any && k < o->joints; k++)
        if (is_lost(o, k)) {
            joint = k;
            any = true;
        }
    if (any)
        *choice = (struct robo__choice){ .kind = ROBO__SEND, .joint = joint, .value = u[joint] };
    return 0;
}

int robo__order_pick(struct robo__order *o, const double *jacobian, const double *u, robo_time now,
                     struct robo__choice *choice)
{
    *choice = (struct robo__choice){ .kind = ROBO__SEND_NOTHING };
    if (!finite_all(jacobian, (size_t)o->rows * o->joints))
        return ROBO_ERANGE;
    return choose(o, jacobian, u, NULL, now, choice);
}

int robo__order_choose(struct robo__order *o, const double *jacobian, const double *wanted,
                       robo_time now, struct robo__choice *choice)
{
    double u[N];
    *choice = (struct robo__choice){ .kind = ROBO__SEND_NOTHING };
    if (!finite_all(jacobian, (size_t)o->rows * o->joints) || !finite_all(wanted, o->rows))
        return ROBO_ERANGE;
    robo__order_solve(jacobian, o->rows, o->joints, wanted, o->damping, u);
    return choose(o, jacobian, u, wanted, now, choice);
}

void robo__order_sent(struct robo__order *o, const struct robo__choice *choice, robo_time now)
{
    if (choice->kind == ROBO__SEND_NOTHING)
        return;
    bool all = choice->kind == ROBO__SYNCHRONISE;
    o->repeated = !all && is_lost(o, choice->joint);
    if (!all)
        o->lost &= ~(UINT64_C(1) << choice->joint);
    if (all || choice->joint == o->turn)
        next_turn(o);
    for (unsigned k = 0; k < o->joints; k++) {
        bool to_it = all || choice->joint == k;
        o->age[k] = to_it ? 0 : o->age[k] + 1;
        if (!to_it || choice->kind == ROBO__STORE)
            continue;
        o->sent[k] = all ? o->round[k] : choice->value;
        o->when[k] = now;
    }
}

void robo__order_unsent(struct robo__order *o, unsigned joint)
{
    if (joint >= o->joints)
        return;
    bool seemed_sent = o->age[joint] == 0 && !is_lost(o, joint);
    if (!seemed_sent)
        o->repeated = is_lost(o, joint);
    o->lost |= UINT64_C(1) << joint;
    if (joint == o->turn)
        next_turn(o);
    for (unsigned k = 0; k < o->joints; k++)
        o->age[k]++;
    o->age[joint] = 0;
}

robo_time robo__order_due(const struct robo__order *o)
{
    robo_time first = ROBO_NEVER;
    for (unsigned k = 0; o->most_time > 0 && k < o->joints; k++)
        if (o->when[k] + o->most_time < first)
            first = o->when[k] + o->most_time;
    return first;
}
