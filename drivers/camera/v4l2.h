/* A camera of the system's, by Video4Linux. */
#pragma once

#include <sys/types.h>

#include "robotalk.h"

struct pollfd;

/* The system calls that it uses, as the functions of these names: tests replace them. */
struct robo__v4l2_system {
    int (*open)(const char *path, int flags, ...);
    int (*close)(int fd);
    int (*ioctl)(int fd, unsigned long request, ...);
    void *(*mmap)(void *at, size_t size, int protection, int flags, int fd, off_t offset);
    int (*munmap)(void *at, size_t size);
    int (*poll)(struct pollfd *fds, unsigned long count, int timeout);
};
extern struct robo__v4l2_system robo__v4l2_system;

extern const robo_driver robo_v4l2_driver;
