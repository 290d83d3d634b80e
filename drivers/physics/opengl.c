/* OpenGL without a screen, by EGL. */
#include "opengl.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_library.h"

/* The part of EGL 1.4 that is needed, and its extensions EXT_platform_base, MESA_platform_surfaceless, EXT_device_enumeration and
 * EXT_platform_device. Names and numbers are those of Khronos' registry (egl.xml). EGL's headers are not used: Debian's need X11's. */
enum {
    EGL_BLUE_SIZE = 0x3022,
    EGL_GREEN_SIZE = 0x3023,
    EGL_RED_SIZE = 0x3024,
    EGL_SURFACE_TYPE = 0x3033,
    EGL_NONE = 0x3038,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_HEIGHT = 0x3056,
    EGL_WIDTH = 0x3057,
    EGL_PBUFFER_BIT = 0x0001,
    EGL_OPENGL_BIT = 0x0008,
    EGL_OPENGL_API = 0x30A2,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31DD,
    EGL_PLATFORM_DEVICE_EXT = 0x313F
};

static struct {
    void (*(*eglGetProcAddress)(const char *))(void);
    void *(*eglGetDisplay)(void *);
    unsigned (*eglInitialize)(void *, int32_t *, int32_t *);
    unsigned (*eglBindAPI)(unsigned);
    unsigned (*eglChooseConfig)(void *, const int32_t *, void **, int32_t, int32_t *);
    void *(*eglCreateContext)(void *, void *, void *, const int32_t *);
    unsigned (*eglDestroyContext)(void *, void *);
    void *(*eglCreatePbufferSurface)(void *, void *, const int32_t *);
    unsigned (*eglDestroySurface)(void *, void *);
    unsigned (*eglMakeCurrent)(void *, void *, void *, void *);
    int32_t (*eglGetError)(void);
} egl;

static void *display; /* one for all contexts, for good: it takes half a second to get one ready */

struct robo__opengl {
    void *context, *surface;
};

static bool begins(void *candidate)
{
    int32_t version[2];
    if (!candidate || !egl.eglInitialize(candidate, &version[0], &version[1]))
        return false;
    display = candidate;
    return true;
}

/* Mesa's without a screen; a graphics card's; whatever is usual here. */
static bool find_display(void)
{
    void *(*of_platform)(unsigned, void *, const int32_t *) =
        (void *(*)(unsigned, void *, const int32_t *))egl.eglGetProcAddress(
            "eglGetPlatformDisplayEXT");
    unsigned (*devices)(int32_t, void **, int32_t *) =
        (unsigned (*)(int32_t, void **, int32_t *))egl.eglGetProcAddress("eglQueryDevicesEXT");
    void *device[8];
    int32_t count = 0;
    if (of_platform && begins(of_platform(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL)))
        return true;
    if (of_platform && devices && devices(8, device, &count))
        for (int32_t i = 0; i < count; i++)
            if (begins(of_platform(EGL_PLATFORM_DEVICE_EXT, device[i], NULL)))
                return true;
    return begins(egl.eglGetDisplay(NULL));
}

static void begin(char failure[256])
{
    if (!find_display())
        snprintf(failure, 256,
                 "EGL has no way to draw without a screen (apt-get install libgl1-mesa-dri)");
}

/* clang-format off */
static const struct robo__shared_function functions[] = {
#define ROW(name) { #name, &egl.name },
    ROW(eglGetProcAddress) ROW(eglGetDisplay) ROW(eglInitialize) ROW(eglBindAPI) ROW(eglChooseConfig)
    ROW(eglCreateContext) ROW(eglDestroyContext) ROW(eglCreatePbufferSurface) ROW(eglDestroySurface)
    ROW(eglMakeCurrent) ROW(eglGetError)
};
/* clang-format on */
static struct robo__shared_library library = ROBO__SHARED_LIBRARY(
    "pictures of physics need EGL", "libEGL.so.1", "libegl1", functions, begin);

static void fail(char why[256], const char *what)
{
    snprintf(why, 256, "EGL gives no %s: error 0x%04x", what, (unsigned)egl.eglGetError());
}

static bool make(struct robo__opengl *c, char why[256])
{
    static const int32_t wanted[] = { EGL_SURFACE_TYPE,
                                      EGL_PBUFFER_BIT,
                                      EGL_RENDERABLE_TYPE,
                                      EGL_OPENGL_BIT,
                                      EGL_RED_SIZE,
                                      8,
                                      EGL_GREEN_SIZE,
                                      8,
                                      EGL_BLUE_SIZE,
                                      8,
                                      EGL_NONE };
    static const int32_t small[] = { EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE };
    void *config;
    int32_t count = 0;
    if (!egl.eglBindAPI(EGL_OPENGL_API) ||
        !egl.eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) {
        fail(why, "OpenGL");
        return false;
    }
    /* drawn is into a buffer of MuJoCo's; this one is only there because a context wants one */
    c->surface = egl.eglCreatePbufferSurface(display, config, small);
    c->context = egl.eglCreateContext(display, config, NULL, NULL);
    if (!c->surface || !c->context ||
        !egl.eglMakeCurrent(display, c->surface, c->surface, c->context)) {
        fail(why, "context");
        return false;
    }
    return true;
}

struct robo__opengl *robo__opengl_open(char why[256])
{
    if (robo__shared_library_load(&library, why) < 0)
        return NULL;
    struct robo__opengl *c = calloc(1, sizeof *c);
    if (!c)
        snprintf(why, 256, "no memory");
    if (!c || make(c, why))
        return c;
    robo__opengl_close(c);
    return NULL;
}

void robo__opengl_use(struct robo__opengl *c)
{
    egl.eglMakeCurrent(display, c->surface, c->surface, c->context);
}

void robo__opengl_close(struct robo__opengl *c)
{
    if (!c)
        return;
    egl.eglMakeCurrent(display, NULL, NULL, NULL);
    if (c->context)
        egl.eglDestroyContext(display, c->context);
    if (c->surface)
        egl.eglDestroySurface(display, c->surface);
    free(c);
}
