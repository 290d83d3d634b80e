/* Tests count ids, add to them and keep them in tables: here the functions of clients take and return them as plain numbers. */
#pragma once

#include "robotalk.h"
#include "robotalk/session.h"

static inline int64_t session_number(robo_session_id session)
{
    return session.value;
}
static inline int64_t id_number(robo_id id)
{
    return id.value;
}

#define robo_session(...)            session_number(robo_session(__VA_ARGS__))
#define robo_session_end(c, session) robo_session_end(c, (robo_session_id){ session })
#define robo_session_news(c, session, ...) \
    robo_session_news(c, (robo_session_id){ session }, __VA_ARGS__)
#define robo_session_asked(c, session, ...) \
    robo_session_asked(c, (robo_session_id){ session }, __VA_ARGS__)
#define robo_send(c, session, ...) \
    id_number(robo_send(c, (robo_session_id){ session }, __VA_ARGS__))
#define robo_request(c, session, ...) \
    id_number(robo_request(c, (robo_session_id){ session }, __VA_ARGS__))
#define robo_client_reload(c, session, ...) \
    id_number(robo_client_reload(c, (robo_session_id){ session }, __VA_ARGS__))
#define robo_client_panic(c, session) robo_client_panic(c, (robo_session_id){ session })
#define robo_client_reset(c, session) robo_client_reset(c, (robo_session_id){ session })
#define robo_wait(c, id, ...)         robo_wait(c, (robo_id){ id }, __VA_ARGS__)
#define robo_take(c, id, ...)         robo_take(c, (robo_id){ id }, __VA_ARGS__)
#define robo_take_reply(c, id, ...)   robo_take_reply(c, (robo_id){ id }, __VA_ARGS__)
#define robo_parts(c, id, ...)        robo_parts(c, (robo_id){ id }, __VA_ARGS__)
#define robo_look(c, id, ...)         robo_look(c, (robo_id){ id }, __VA_ARGS__)
#define robo_take_picture(c, id, ...) robo_take_picture(c, (robo_id){ id }, __VA_ARGS__)
#define robo_drop(c, id)              robo_drop(c, (robo_id){ id })
