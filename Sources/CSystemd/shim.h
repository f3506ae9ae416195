#pragma once

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <unistd.h>

// glibc declares the address of accept4 as a transparent union under _GNU_SOURCE, which Swift cannot pass nil to.
static inline int pressured_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// A variadic call, which Swift does not import.
static inline int pressured_end_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

// glibc's malloc.h, which Swift does not import. Being told once keeps it from raising the bound itself.
static inline int pressured_return_memory_from(int size) { return mallopt(M_MMAP_THRESHOLD, size); }

// The name is a flexible array member, which Swift does not import.
static inline const char *pressured_inotify_name(const struct inotify_event *news) { return news->name; }

// glibc declares these four under _GNU_SOURCE alone, without which Swift imports it.
void *memmem(const void *all, size_t count, const void *part, size_t length);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
extern char **environ;

// A global variable that anybody may change is one that Swift refuses to look at.
static inline char **pressured_environment(void) { return environ; }

// The kernel's struct ucred, which glibc declares under _GNU_SOURCE alone.
struct pressured_peer {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

// Variadic in its type, and the answer is an int for a D-Bus boolean.
static inline int pressured_session_property(sd_bus *bus, const char *name, int *value) {
  return sd_bus_get_property_trivial(
      bus, "org.freedesktop.login1", "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session", name,
      NULL, 'b', value);
}
