/* Readings of a robot's sensors: asked for, watched at a rate, recorded. */
#include "copies.h"
#include "queries.h"

#include "robot/senses/readings.h"
#include "robot/client.h"
#include "robotalk/description.h"

/* READING_WORK: of a value of a sensor; READING_BYTES: of a reading without its values; RECORDED: readings of one answer
 * to `record`. */
enum { READING_WORK = 64, READING_BYTES = 20, RECORDED = 64 };

static bool is_wanted(const struct robo_request_sense *request, unsigned sensor)
{
    return sensor / 8 < request->bytes && request->mask[sensor / 8] >> sensor % 8 & 1;
}

/* How many values the wanted sensors have; ROBO_ENONE: one of them is not there; ROBO_ELIMIT: too many for one answer. */
static int count_values(const struct robo_description *d, const struct robo_request_sense *request)
{
    unsigned values = 0;
    for (unsigned i = 0; i < 8u * request->bytes; i++) {
        if (!is_wanted(request, i))
            continue;
        if (i >= d->sensors)
            return ROBO_ENONE;
        values += robo_sensor_values(&d->sensor[i]);
    }
    return values > ROBO_MAX_READING ? ROBO_ELIMIT : (int)values;
}

static size_t readings_room(const struct robo_request_sense *request, size_t values)
{
    size_t sensors = 0;
    for (unsigned i = 0; i < 8u * request->bytes; i++)
        sensors += is_wanted(request, i);
    return 64 + sensors * READING_BYTES + values * sizeof(double);
}

static struct robo__senses *senses_of(const struct robo__server_session *ss)
{
    return robo__robot_senses(robo__session_robot(ss->session));
}

static void look_at(struct robo__senses *senses, const struct robo_request_sense *request)
{
    struct robo__sensors wanted = { .bit = { 0 } };
    for (unsigned i = 0; i < ROBO_MAX_SENSORS; i++)
        if (is_wanted(request, i))
            wanted.bit[i / 64] |= UINT64_C(1) << i % 64;
    robo__readings_refresh(senses, &wanted);
}

/* Adds a reading of a sensor; ROBO_EFULL: there is no room for its values. */
static int put_reading(const struct robo__senses *senses, unsigned sensor, uint64_t number,
                       struct robo_reply_sense *a)
{
    struct robo_reading reading;
    const int there = robo__readings_take(senses, sensor, number, &reading, a->value + a->total,
                                          ROBO_MAX_READING - a->total);
    if (there < 0)
        return there;
    a->sensor[a->readings] = (uint16_t)sensor;
    a->number[a->readings] = reading.number;
    a->time[a->readings] = reading.time;
    a->values[a->readings++] = (uint16_t)reading.count;
    a->total = (uint16_t)(a->total + reading.count);
    return there;
}

/* The newest readings, as far as there are any. ROBO_ENONE: the robot was reloaded and lacks a sensor. */
static int find_readings(struct robo__senses *senses, const struct robo_request_sense *request,
                         struct robo_reply_sense *a)
{
    int error = 0;
    a->readings = a->total = 0;
    look_at(senses, request);
    for (unsigned i = 0; error >= 0 && i < ROBO_MAX_SENSORS; i++)
        if (is_wanted(request, i))
            error = put_reading(senses, i, 0, a);
    return error < 0 ? ROBO_ENONE : 0;
}

static uint64_t numbers_of(const struct robo_reply_sense *a)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < a->readings; i++)
        sum += a->number[i];
    return sum;
}

/* Whether these sensors can be asked for, and the work. */
static int check_sense(const struct asked *q, const struct robo_request_sense *request)
{
    const int values = count_values(
        robo__robot_description(robo__session_robot(q->server_session->session)), request);
    if (values < 0)
        return values;
    return spend(q, (size_t)READING_WORK * (unsigned)values) ? 0 : ROBO_ELIMIT;
}

int robo__answer_sense(const struct asked *q, const struct robo_request_sense *request)
{
    struct robo_reply_sense a;
    int error = check_sense(q, request);
    if (error >= 0)
        error = find_readings(senses_of(q->server_session), request, &a);
    return error < 0 ? error : answer(q, &a);
}

/* The readings in the ring of a sensor, from a number on. The values of all are bound by the size of an answer. */
int robo__answer_record(const struct asked *q, const struct robo_request_record *request)
{
    struct robo__senses *senses = senses_of(q->server_session);
    struct robo_request_sense one = { .bytes = (uint8_t)(request->sensor / 8 + 1) };
    struct robo_reply_sense a = { .readings = 0 };
    uint64_t next = request->after + 1;
    if (request->sensor >= ROBO_MAX_SENSORS || next == 0)
        return ROBO_ENONE;
    one.mask[request->sensor / 8] = (uint8_t)(1 << request->sensor % 8);
    if (!spend(q, (size_t)READING_WORK * ROBO_MAX_READING))
        return ROBO_ELIMIT;
    look_at(senses, &one);
    while (a.readings < RECORDED) {
        const int there = put_reading(senses, request->sensor, next, &a);
        if (there < 0 && there != ROBO_EFULL)
            return there;
        if (there <= 0)
            break;
        next = a.number[a.readings - 1] + 1;
    }
    if (a.readings > 0 && a.number[a.readings - 1] == 0)
        a.readings--; /* none since then */
    return answer(q, &a);
}

bool robo__watch_has_news(const struct robo__broadcast *b, robo_time now)
{
    struct robo__copy *copy = robo__copy_of(b, now);
    struct robo_reply_sense a;
    if (!copy)
        return true;
    if (!copy->looked) {
        if (find_readings(senses_of(b->server_session), &b->wanted, &a) < 0)
            return true;
        copy->looked = true;
        copy->told = numbers_of(&a);
    }
    return copy->told != b->told;
}

/* Adds the newest readings, unless the client has them; ROBO_ENONE, ROBO_ERANGE. */
static int add_readings_again(struct robo__broadcast *b, robo_time now)
{
    struct robo__server_session *ss = b->server_session;
    struct robo__serve *serve = ss->serve;
    struct robo__copy *copy = robo__copy_of(b, now);
    struct robo_reply_sense a;
    int error = 0;
    if (copy && copy->size > 0) {
        if (!robo__serve_begin(serve, ROBO_HEADER_SIZE + 64 + copy->size))
            return 0;
        b->told = copy->told;
        error = robo__copy_add(copy, b);
    } else {
        error = find_readings(senses_of(ss), &b->wanted, &a);
        if (error < 0 || numbers_of(&a) == b->told ||
            !robo__serve_begin(serve, ROBO_HEADER_SIZE + readings_room(&b->wanted, a.total)))
            return error;
        b->told = numbers_of(&a);
        error =
            robo_package_add(&serve->out, b->op, b->id, NULL, NULL, &robo_reply_sense_message, &a);
        if (error >= 0 && copy) {
            copy->looked = true;
            copy->told = b->told;
            robo__copy_keep(copy, b);
        }
    }
    if (error == 0)
        robo__broadcast_sent(b, now);
    robo__serve_end(serve, ROBO_TYPE_REPLY, ss, 0, now);
    return error;
}

void robo__watch_tell(struct robo__broadcast *b, robo_time now)
{
    struct robo__server_session *ss = b->server_session;
    struct robo__serve *serve = ss->serve;
    const int error = add_readings_again(b, now);
    if (error < 0) {
        robo__broadcast_end(b);
        robo__serve_fault(serve, &(struct robo_header){ .session = ss->id }, error, b->id, 0,
                          error == ROBO_ERANGE ? UNTOLD : "the robot was described anew", now);
    }
    robo__conn_kick(serve->conn);
}

int robo__begin_watch(const struct asked *q, const struct robo_request_watch *request)
{
    int error;
    struct robo_request_sense wanted = { .bytes = request->bytes };
    struct robo_reply_sense a;
    struct robo__broadcast *b = robo__broadcast_place(q, request->period, &error);
    if (!b)
        return error;
    memcpy(wanted.mask, request->mask, request->bytes);
    error = check_sense(q, &wanted);
    if (error >= 0)
        error = find_readings(senses_of(q->server_session), &wanted, &a);
    if (error >= 0)
        error = answer(q, &a);
    if (error >= 0)
        robo__broadcast_begin(q, b,
                              (struct robo__broadcast){ .period = request->period,
                                                        .wanted = wanted,
                                                        .told = numbers_of(&a) });
    return error < 0 ? error : 0;
}

size_t robo__sense_room(const robo_robot *robot, uint16_t op, const void *request)
{
    const struct robo_request_watch *watch = request;
    struct robo_request_sense wanted = { .bytes = 0 };
    if (op == ROBO_Q_RECORD)
        return 64 + READING_BYTES * RECORDED + sizeof(double) * ROBO_MAX_READING;
    if (op == ROBO_Q_SENSE) {
        wanted = *(const struct robo_request_sense *)request;
    } else {
        wanted.bytes = watch->bytes;
        memcpy(wanted.mask, watch->mask, watch->bytes);
    }
    const int values = count_values(robo__robot_description(robot), &wanted);
    return readings_room(&wanted, values > 0 ? (size_t)values : 0);
}
