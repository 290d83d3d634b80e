/* The stage of scenes in a virtual world: its clock, and a host for connections within the process. */
#pragma once

#include "scene_body.h"

#include "net/host.h"
#include "robotalk/client.h"
#include "robotalk/server_session.h"

enum { STAGE_IS_VIRTUAL = 1 };

static struct robo__host stage_host;
static const char stage_url[] = "local:r";

static void stage_clear(void)
{
}

static void stage_begin(void)
{
    robo__host_init(&stage_host, world, NULL);
}

static void stage_end(void)
{
    robo__host_free(&stage_host);
}

/* When something is due next. */
static robo_time stage_next(void)
{
    return robo_next_due(world);
}

/* Runs all that is due until then. */
static void stage_advance(robo_time until)
{
    assert_int_equal(robo_advance(world, until), 0);
}

/* ---- clients over the wire ---- */

/* Sends what a client has said. Here it has arrived, and so has the answer. */
__attribute__((unused)) static void stage_deliver(void)
{
}

__attribute__((unused)) static robo_client *
stage_connect(const char *url, struct robo__client_setup *setup, int *error, char why[256])
{
    setup->host = &stage_host;
    return robo__client_open(world, url, setup, error, why);
}

/* The server's end of a connection. */
static struct robo__serve *stage_serve(const robo_client *client)
{
    assert_non_null(client->stream.end.loopback);
    return client->stream.end.loopback->conn.state;
}

__attribute__((unused)) static void stage_admit(const robo_client *client, bool local)
{
    stage_serve(client)->who.local = local;
    stage_serve(client)->takeover = true;
}

__attribute__((unused)) static void stage_role(const robo_client *client, uint8_t role)
{
    stage_serve(client)->role = role;
}
