// Lets libseat open the nodes of mocked pads, which are links: preloaded before umockdev.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

static int follow(const char *name, const char *path, int flags, mode_t mode) {
  int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
  return next(path, flags & ~O_NOFOLLOW, mode);
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list more;                                   \
    va_start(more, flags);                          \
    mode_t mode = va_arg(more, mode_t);             \
    va_end(more);                                   \
    return follow(#name, path, flags, mode);        \
  }

OPEN(open)
OPEN(open64)
