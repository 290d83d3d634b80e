/* The messages of Player 3 as data. */
#include "wire.h"

#include <math.h>
#include <string.h>

/* ---- the table ---- */

/* A pose in the plane has 3 numbers, one in space 6, a size 3: 9d is a device's place and size. */
#define GEOMETRY        "9d"
#define RANGER_GEOMETRY GEOMETRY "[6d][3d]"
#define RANGER_SETTING  "7d"

/* In the order in which they are looked for: frequent ones come first. */
const struct robo__player_kind robo__player_kinds[] = {
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_DATA, 1, "state", "6db", NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_DATA, 2, "geom", GEOMETRY, NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_CMD, 1, "vel", "3db", NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_CMD, 2, "pos", "6db", NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_CMD, 3, "car", "2d", NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_CMD, 4, "vel_head", "2d", NULL },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 1, "get_geom", "", GEOMETRY },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 2, "motor_power", "b", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 3, "velocity_mode", "u", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 4, "position_mode", "u", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 5, "set_odom", "3d", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 6, "reset_odom", "", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 7, "speed_pid", "3f", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 8, "position_pid", "3f", "" },
    { ROBO__PLAYER_POSITION2D, ROBO__PLAYER_REQ, 9, "speed_prof", "2f", "" },

    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 1, "devlist", "", "[4u]" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 2, "driverinfo", "4ux", "4ux" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 3, "dev", "4ubx", "4ubx" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 4, "data", "", "" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 5, "datamode", "b", "" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_REQ, 10, "add_replace_rule", "5i", "" },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_SYNCH, 1, "synch", "", NULL },
    { ROBO__PLAYER_PLAYER, ROBO__PLAYER_SYNCH, 2, "synch_overflow", "u", NULL },

    { ROBO__PLAYER_POWER, ROBO__PLAYER_DATA, 1, "state", "u4fi", NULL },
    { ROBO__PLAYER_POWER, ROBO__PLAYER_REQ, 1, "set_charging_policy", "2b", "" },

    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_DATA, 1, "state", "bub", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_CMD, 1, "open", "", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_CMD, 2, "close", "", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_CMD, 3, "stop", "", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_CMD, 4, "store", "", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_CMD, 5, "retrieve", "", NULL },
    { ROBO__PLAYER_GRIPPER, ROBO__PLAYER_REQ, 1, "get_geom", "", "12d2b" },

    { ROBO__PLAYER_SONAR, ROBO__PLAYER_DATA, 1, "ranges", "[f]", NULL },
    { ROBO__PLAYER_SONAR, ROBO__PLAYER_DATA, 2, "geom", "[6d]", NULL },
    { ROBO__PLAYER_SONAR, ROBO__PLAYER_REQ, 1, "get_geom", "", "[6d]" },
    { ROBO__PLAYER_SONAR, ROBO__PLAYER_REQ, 2, "power", "b", "" },

    { ROBO__PLAYER_LASER, ROBO__PLAYER_DATA, 1, "scan", "4f[f]xu", NULL },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_DATA, 2, "scanpose", "4f[f]xu3d", NULL },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_REQ, 1, "get_geom", "", GEOMETRY },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_REQ, 2, "set_config", "5fbf", "5fbf" },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_REQ, 3, "get_config", "", "5fbf" },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_REQ, 4, "power", "b", "" },
    { ROBO__PLAYER_LASER, ROBO__PLAYER_REQ, 5, "get_id", "", "u" },

    { ROBO__PLAYER_PTZ, ROBO__PLAYER_DATA, 1, "state", "5fu", NULL },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_DATA, 2, "geom", GEOMETRY, NULL },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_CMD, 1, "state", "5f", NULL },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_REQ, 1, "generic", "[u]", "[u]" },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_REQ, 2, "control_mode", "u", "" },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_REQ, 4, "geom", "", GEOMETRY },
    { ROBO__PLAYER_PTZ, ROBO__PLAYER_REQ, 5, "status", "", "u" },

    { ROBO__PLAYER_BUMPER, ROBO__PLAYER_DATA, 1, "state", "x", NULL },
    { ROBO__PLAYER_BUMPER, ROBO__PLAYER_DATA, 2, "geom", "[6d2f]", NULL },
    { ROBO__PLAYER_BUMPER, ROBO__PLAYER_REQ, 1, "get_geom", "", "[6d2f]" },

    { ROBO__PLAYER_IR, ROBO__PLAYER_DATA, 1, "ranges", "[f][f]", NULL },
    { ROBO__PLAYER_IR, ROBO__PLAYER_REQ, 1, "pose", "", "[6d]" },
    { ROBO__PLAYER_IR, ROBO__PLAYER_REQ, 2, "power", "b", "" },

    { ROBO__PLAYER_CAMERA, ROBO__PLAYER_DATA, 1, "state", "6ux", NULL },
    { ROBO__PLAYER_CAMERA, ROBO__PLAYER_REQ, 1, "get_source", "", "xi" },
    { ROBO__PLAYER_CAMERA, ROBO__PLAYER_REQ, 2, "set_source", "xi", "xi" },
    { ROBO__PLAYER_CAMERA, ROBO__PLAYER_REQ, 3, "get_image", "", "6ux" },

    { ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 1, "range", "[d]", NULL },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 2, "range_stamped",
      "[d]b" RANGER_GEOMETRY "b" RANGER_SETTING, NULL },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 3, "intensity", "[d]", NULL },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_DATA, 5, "geom", RANGER_GEOMETRY, NULL },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 1, "get_geom", "", RANGER_GEOMETRY },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 2, "power", "b", "" },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 3, "intensity", "b", "" },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 4, "set_config", RANGER_SETTING, RANGER_SETTING },
    { ROBO__PLAYER_RANGER, ROBO__PLAYER_REQ, 5, "get_config", "", RANGER_SETTING },

    { 0, ROBO__PLAYER_REQ, 255, "capabilities", "2u", "" },
    { 0, ROBO__PLAYER_REQ, 254, "get_int", "xi", "xi" },
    { 0, ROBO__PLAYER_REQ, 253, "set_int", "xi", "xi" },
    { 0, ROBO__PLAYER_REQ, 252, "get_double", "xd", "xd" },
    { 0, ROBO__PLAYER_REQ, 251, "set_double", "xd", "xd" },
    { 0, ROBO__PLAYER_REQ, 250, "get_string", "xx", "xx" },
    { 0, ROBO__PLAYER_REQ, 249, "set_string", "xx", "xx" },
    { 0, ROBO__PLAYER_REQ, 248, "get_bool", "xb", "xb" },
    { 0, ROBO__PLAYER_REQ, 247, "set_bool", "xb", "xb" },
    { 0, 0, 0, NULL, NULL, NULL },
};

/* All three in one word, as a row has them in memory. */
static inline uint32_t key_of(uint16_t interf, uint8_t type, uint8_t subtype)
{
    return interf | (uint32_t)type << 16 | (uint32_t)subtype << 24;
}

static const struct robo__player_kind *find_kind(uint32_t key)
{
    const struct robo__player_kind *k = robo__player_kinds;
    while (k->name && key_of(k->interf, k->type, k->subtype) != key)
        k++;
    return k->name ? k : NULL;
}

const struct robo__player_kind *robo__player_kind_of(unsigned interf, unsigned type,
                                                     unsigned subtype)
{
    if (interf > UINT16_MAX || type > UINT8_MAX || subtype > UINT8_MAX)
        return NULL;
    const struct robo__player_kind *own =
        find_kind(key_of((uint16_t)interf, (uint8_t)type, (uint8_t)subtype));
    return own || type != ROBO__PLAYER_REQ ? own
                                           : find_kind(key_of(0, (uint8_t)type, (uint8_t)subtype));
}

static const struct {
    unsigned number;
    const char *name;
} interfaces[] = {
    { ROBO__PLAYER_PLAYER, "player" },   { ROBO__PLAYER_POWER, "power" },
    { ROBO__PLAYER_GRIPPER, "gripper" }, { ROBO__PLAYER_POSITION2D, "position2d" },
    { ROBO__PLAYER_SONAR, "sonar" },     { ROBO__PLAYER_LASER, "laser" },
    { ROBO__PLAYER_PTZ, "ptz" },         { ROBO__PLAYER_BUMPER, "bumper" },
    { ROBO__PLAYER_IR, "ir" },           { ROBO__PLAYER_CAMERA, "camera" },
    { ROBO__PLAYER_RANGER, "ranger" },
};

const char *robo__player_interface_name(unsigned interf)
{
    for (size_t i = 0; i < sizeof interfaces / sizeof interfaces[0]; i++)
        if (interfaces[i].number == interf)
            return interfaces[i].name;
    return NULL;
}

unsigned robo__player_interface_of(const char *name)
{
    for (size_t i = 0; i < sizeof interfaces / sizeof interfaces[0]; i++)
        if (strcmp(interfaces[i].name, name) == 0)
            return interfaces[i].number;
    return 0;
}

/* ---- the header ---- */

bool robo__player_get_header(const uint8_t bytes[ROBO__PLAYER_HEADER],
                             struct robo__player_header *header, const char **why)
{
    const uint32_t interf = robo__xdr_word(bytes + 8), index = robo__xdr_word(bytes + 12),
                   type = robo__xdr_word(bytes + 16), subtype = robo__xdr_word(bytes + 20);
    header->host = robo__xdr_word(bytes);
    header->robot = robo__xdr_word(bytes + 4);
    header->timestamp = robo__xdr_double(bytes + 24);
    header->seq = robo__xdr_word(bytes + 32);
    header->size = robo__xdr_word(bytes + 36);
    header->interf = (uint16_t)interf;
    header->index = (uint16_t)index;
    header->type = (uint8_t)type;
    header->subtype = (uint8_t)subtype;
    *why = interf > UINT16_MAX  ? "byte 8: expected an interface of 16 bits"
           : index > UINT16_MAX ? "byte 12: expected an index of 16 bits"
           : type < ROBO__PLAYER_DATA || type > ROBO__PLAYER_NACK
               ? "byte 16: expected a type from 1 to 6"
           : subtype > UINT8_MAX              ? "byte 20: expected a subtype of 8 bits"
           : header->size > ROBO__PLAYER_MOST ? "byte 36: expected a body of at most 32 MiB"
                                              : NULL;
    return *why == NULL;
}

void robo__player_put_header(const struct robo__player_header *header,
                             uint8_t bytes[ROBO__PLAYER_HEADER])
{
    robo__xdr_put_word(bytes, header->host);
    robo__xdr_put_word(bytes + 4, header->robot);
    robo__xdr_put_word(bytes + 8, header->interf);
    robo__xdr_put_word(bytes + 12, header->index);
    robo__xdr_put_word(bytes + 16, header->type);
    robo__xdr_put_word(bytes + 20, header->subtype);
    robo__xdr_put_double(bytes + 24, header->timestamp);
    robo__xdr_put_word(bytes + 32, header->seq);
    robo__xdr_put_word(bytes + 36, header->size);
}

/* ---- layouts ---- */

/* One item of a layout: its type and how often. */
struct item {
    char what;
    unsigned times;
};

static bool next_item(const char **layout, struct item *item)
{
    item->times = 0;
    while (**layout >= '0' && **layout <= '9')
        item->times = item->times * 10 + (unsigned)(*(*layout)++ - '0');
    if (item->times == 0)
        item->times = 1;
    item->what = **layout;
    if (item->what == 0 || item->what == ']')
        return false;
    (*layout)++;
    return true;
}

static size_t size_of(char what)
{
    return what == 'd' ? 8 : 4;
}

/* Bytes of an item of an array; *fields: how many numbers it is. */
static size_t item_size(const char *of, unsigned *fields)
{
    struct item item;
    size_t size = 0;
    *fields = 0;
    while (next_item(&of, &item)) {
        size += item.times * size_of(item.what);
        *fields += item.times;
    }
    return size;
}

static const char *behind(const char *layout)
{
    return strchr(layout, ']') + 1;
}

static double get_number(struct robo__xdr_in *in, char what)
{
    switch (what) {
    case 'b': return robo__xdr_u32(in) & 0xff; /* as XDR's own libraries read a byte */
    case 'i': {
        const uint32_t raw = robo__xdr_u32(in);
        return raw > INT32_MAX ? (double)raw - 4294967296.0 : (double)raw;
    }
    case 'f': return (double)robo__xdr_f32(in);
    case 'd': return robo__xdr_f64(in);
    default: return robo__xdr_u32(in);
    }
}

/* The nearest whole number that there is; NaN is 0. */
static uint32_t whole(double x, double least, double most)
{
    const double near = x >= least ? x <= most ? x : most : isnan(x) ? 0 : least;
    return near < 0 ? (uint32_t)(int32_t)near : (uint32_t)near;
}

static void put_number(struct robo__xdr_out *out, char what, double x)
{
    switch (what) {
    case 'b': robo__xdr_put_u32(out, whole(x, 0, UINT8_MAX)); break;
    case 'i': robo__xdr_put_u32(out, whole(x, INT32_MIN, INT32_MAX)); break;
    case 'f': robo__xdr_put_f32(out, (float)x); break;
    case 'd': robo__xdr_put_f64(out, x); break;
    default: robo__xdr_put_u32(out, whole(x, 0, UINT32_MAX)); break;
    }
}

enum { COUNTS = 8 }; /* bytes of the two of an array */

static void get_array(struct robo__xdr_in *in, const char *of, struct robo__player_array *array)
{
    unsigned fields;
    const size_t size = of ? item_size(of, &fields) : 1,
                 left = in->size - in->at > COUNTS ? in->size - in->at - COUNTS : 0;
    *array = (struct robo__player_array){ .of = of };
    array->count = robo__xdr_count(in, (uint32_t)(left / size));
    array->raw = robo__xdr_bytes(in, array->count * size);
}

bool robo__player_decode(const char *layout, const uint8_t *bytes, size_t n,
                         struct robo__player_body *body, struct robo__player_mistake *mistake)
{
    static const uint8_t none[1];
    struct robo__xdr_in in = { .bytes = bytes ? bytes : none, .size = n };
    struct item item;
    *body = (struct robo__player_body){ .values = 0 };
    while (!in.why && next_item(&layout, &item)) {
        for (unsigned i = 0; i < item.times; i++) {
            if (item.what == '[' || item.what == 'x')
                get_array(&in, item.what == 'x' ? NULL : layout, &body->array[body->arrays++]);
            else
                body->value[body->values++] = get_number(&in, item.what);
        }
        if (item.what == '[')
            layout = behind(layout);
    }
    if (!in.why && in.at < n)
        in.why = "expected the body's end";
    *mistake = (struct robo__player_mistake){ .at = in.at, .why = in.why };
    return in.why == NULL;
}

static void put_array(struct robo__xdr_out *out, const char *of,
                      const struct robo__player_array *array)
{
    unsigned fields;
    const size_t size = of ? item_size(of, &fields) : 1;
    const double *number = array->number;
    struct item item;
    robo__xdr_put_count(out, array->count);
    if (!number || !of) {
        robo__xdr_put_bytes(out, array->raw, array->count * size);
        return;
    }
    for (uint32_t i = 0; i < array->count; i++)
        for (const char *at = of; next_item(&at, &item);)
            for (unsigned k = 0; k < item.times; k++)
                put_number(out, item.what, *number++);
}

size_t robo__player_encode(const char *layout, const struct robo__player_body *body, uint8_t *bytes,
                           size_t size)
{
    struct robo__xdr_out out = { .bytes = bytes, .size = size };
    const double *value = body->value;
    const struct robo__player_array *array = body->array;
    struct item item;
    while (next_item(&layout, &item)) {
        for (unsigned i = 0; i < item.times; i++) {
            if (item.what == '[' || item.what == 'x')
                put_array(&out, item.what == 'x' ? NULL : layout, array++);
            else
                put_number(&out, item.what, *value++);
        }
        if (item.what == '[')
            layout = behind(layout);
    }
    return out.at;
}

double robo__player_item(const struct robo__player_array *array, uint32_t item, unsigned field)
{
    unsigned fields = 1, at = 0;
    if (item >= array->count || !array->raw)
        return 0;
    if (!array->of)
        return field == 0 ? array->raw[item] : 0;
    const size_t size = item_size(array->of, &fields);
    struct robo__xdr_in in = { .bytes = array->raw + item * size, .size = size };
    struct item next;
    for (const char *of = array->of; next_item(&of, &next);) {
        for (unsigned i = 0; i < next.times; i++) {
            const double x = get_number(&in, next.what);
            if (at++ == field)
                return x;
        }
    }
    return 0;
}

void robo__player_text(const struct robo__player_array *array, char *text, size_t size)
{
    size_t n = 0;
    while (n + 1 < size && n < array->count && array->raw && array->raw[n]) {
        text[n] = (char)array->raw[n];
        n++;
    }
    text[n] = 0;
}
