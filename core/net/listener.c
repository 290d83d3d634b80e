/* A listener: the sockets of an address. */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket.h"

int robo__listener_open(struct robo__listener *l, robo_loop *loop, char why[256])
{
    l->loop = loop;
    l->transport = robo__transport_of(l->url.medium);
    int error = robo__access_open(&l->access, &l->url, why);
    if (error == 0 && (error = l->transport->listen(l, why)) < 0)
        robo__access_close(&l->access);
    return error;
}

int robo__listener_read(struct robo__listener *l, char why[256])
{
    struct robo__access_list before;
    int error = robo__access_reload(&l->access, &l->url, &before, why);
    if (error < 0)
        return error;
    /* the keys depend on the lists; when the keys cannot be read the lists stay, too */
    if (l->transport->renew && (error = l->transport->renew(l, why)) < 0)
        robo__access_restore(&l->access, &before);
    else
        robo__access_list_free(&before);
    return error;
}

void robo__listener_close(struct robo__listener *l)
{
    l->transport->unlisten(l);
    robo__access_close(&l->access);
}

/* ---- sockets that accept ---- */

static void hold_spare(struct robo__listener *l)
{
    l->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_connection(struct robo__watch *watch)
{
    struct robo__listener *l = robo__container_of(watch, struct robo__listening, watch)->listener;
    /* at most 64 a turn, so that connected clients do not wait long */
    for (int i = 0; i < 64; i++) {
        struct robo__contact contact = { .fd = accept4(watch->fd, NULL, NULL,
                                                       SOCK_NONBLOCK | SOCK_CLOEXEC) };
        if (contact.fd >= 0 && l->may_come(l)) {
            robo__socket_tune(contact.fd);
            l->arrived(l, &contact);
        } else if (contact.fd >= 0) {
            robo__complain(&l->loop->host, contact.fd, "there is no room for more clients");
            close(contact.fd);
        } else if (errno == EMFILE || errno == ENFILE) {
            /* no descriptor left: refuse with the spare one, else the listener stays readable for ever */
            if (l->spare >= 0)
                close(l->spare);
            contact.fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC);
            if (contact.fd >= 0) {
                robo__complain(&l->loop->host, contact.fd, "no descriptor of a file is left");
                close(contact.fd);
            }
            hold_spare(l);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

int robo__listen_sockets(struct robo__listener *l, char why[256])
{
    int fds[ROBO__LISTENERS];
    int count = robo__socket_listen(&l->url, fds, ROBO__LISTENERS, why);
    if (count < 0)
        return count;
    hold_spare(l);
    l->sockets = count;
    for (int i = 0; i < count; i++) {
        l->socket[i].listener = l;
        robo__watch_init(&l->socket[i].watch, l->loop, fds[i], ROBO__READABLE, on_connection);
        /* a client that connects again at once finds that its old connection is closed */
        robo__watch_last(&l->socket[i].watch);
        robo__watch_start(&l->socket[i].watch);
    }
    return 0;
}

void robo__unlisten_sockets(struct robo__listener *l)
{
    for (int i = 0; i < l->sockets; i++) {
        robo__watch_stop(&l->socket[i].watch);
        close(l->socket[i].watch.fd);
    }
    if (l->url.medium == ROBO__UNIX)
        unlink(l->url.host);
    if (l->spare >= 0)
        close(l->spare);
}
