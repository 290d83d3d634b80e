/* A driver outside of the tree: a cart that is as fast as it is told at once. It needs robotalk.h and nothing else:
 *     cc -shared -fPIC $(pkg-config --cflags robotalk) -o cart.so cart.c -lm */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robotalk.h"
#include "robotalk/records.h"

struct cart {
    robo_device *device;
    double top;    /* its option: greatest speed, m/s */
    robo_time now; /* of what follows */
    double x, y, theta, speed, turn;
};

/* The option `top`, or what is wrong with what was given. */
static int read_options(const struct robo_description *description, unsigned device, double *top, char why[128])
{
    const struct robo_option *option;
    *top = 1;
    for (unsigned i = 0; (option = robo_description_option(description, device, i)); i++) {
        if (strcmp(option->name, "file") == 0)
            continue; /* this object */
        if (strcmp(option->name, "top") != 0) {
            snprintf(why, 128, "%s: expected no such option", option->name);
            return ROBO_EINVAL;
        }
        *top = option->type == ROBO_OPTION_REAL ? option->value.real : (double)option->value.integer;
        if (option->type == ROBO_OPTION_TEXT || option->type == ROBO_OPTION_FLAG || *top <= 0) {
            snprintf(why, 128, "top: expected a number above 0");
            return ROBO_EINVAL;
        }
    }
    return 0;
}

static int check_cart(const struct robo_description *description, unsigned device, char why[128])
{
    double top;
    return read_options(description, device, &top, why);
}

static int open_cart(void *state, robo_device *device, robo_time now)
{
    struct cart *cart = state;
    char why[128];
    cart->device = device;
    cart->now = now;
    const struct robo_state *before = robo_device_before(device);
    if (before) { /* the robot was described anew, and stands where it stood */
        cart->x = before->pose[0];
        cart->y = before->pose[1];
        cart->theta = before->attitude[2];
    }
    return read_options(robo_device_description(device), (unsigned)robo_device_index(device), &cart->top, why);
}

/* Brings what the cart knows to now: along an arc. */
static void go_on(struct cart *cart, robo_time now)
{
    double seconds = (double)(now - cart->now) / 1e9, turn = cart->turn * seconds;
    double ahead = cart->speed * seconds * (fabs(turn) < 1e-9 ? 1 : sin(turn / 2) / (turn / 2));
    cart->x += ahead * cos(cart->theta + turn / 2);
    cart->y += ahead * sin(cart->theta + turn / 2);
    cart->theta += turn;
    cart->now = now;
}

static void start_cart(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct cart *cart = state;
    go_on(cart, now);
    if (cmd->op != ROBO_SET_SPEED && cmd->op != ROBO_STOP) {
        robo_done(cart->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    double wanted = cmd->op == ROBO_STOP ? 0 : cmd->body.set_speed.x;
    cart->speed = fmin(fmax(wanted, -cart->top), cart->top);
    cart->turn = cmd->op == ROBO_STOP ? 0 : cmd->body.set_speed.theta;
    if (cart->speed != wanted)
        robo_done(cart->device, ticket, ROBO_MODIFIED, ROBO_WHY_LIMIT);
    else
        robo_done(cart->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void read_cart(const void *state, robo_time now, struct robo_state *out)
{
    struct cart cart = *(const struct cart *)state; /* looking changes nothing */
    go_on(&cart, now);
    out->pose[0] = cart.x;
    out->pose[1] = cart.y;
    out->attitude[2] = cart.theta;
    out->twist[0] = cart.speed;
    out->spin[2] = cart.turn;
    if (cart.speed != 0 || cart.turn != 0)
        out->moving = 1;
}

static void halt_cart(void *state, robo_time now)
{
    struct cart *cart = state;
    go_on(cart, now);
    cart->speed = cart->turn = 0;
}

static void close_cart(void *state)
{
    (void)state;
}

static const robo_driver cart_driver = { .size = sizeof(robo_driver),
                                         .name = "cart",
                                         .state_size = sizeof(struct cart),
                                         .open = open_cart,
                                         .start = start_cart,
                                         .read = read_cart,
                                         .halt = halt_cart,
                                         .close = close_cart,
                                         .check = check_cart };

const robo_driver *robo_driver_entry(int version)
{
    return version == ROBO_API_VERSION ? &cart_driver : NULL;
}
