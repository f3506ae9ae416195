#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/hidraw.h>
#include <linux/inet_diag.h>
#include <linux/ioctl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

// glibc declares the address of accept4 as a transparent union under _GNU_SOURCE, which Swift cannot pass nil to.
static inline int pressured_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Listens on a free port of 127.0.0.1. Returns -1 with errno after an error. (The addresses are unions for Swift.)
static inline int pressured_listen_on_loopback(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (listener < 0) return -1;
  if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 64) == 0) return listener;
  int number = errno;
  close(listener);
  errno = number;
  return -1;
}

// Returns the port of a socket; 0 if it has none.
static inline in_port_t pressured_port(int file) {
  struct sockaddr_in address = {0};
  socklen_t length = sizeof address;
  return getsockname(file, (struct sockaddr *)&address, &length) == 0 ? ntohs(address.sin_port) : 0;
}

// Returns the user of the socket on 127.0.0.1 at the other end of a connection; -1 if there is none, or if it was closed: one that is
// closed belongs to nobody, and would be listed as root's. All of 127.0.0.0/8 is loopback: a peer at another address may have the port of
// somebody else's connection. The kernel looks up this one connection.
static inline long pressured_loopback_user(int file) {
  struct sockaddr_in peer = {0};
  socklen_t length = sizeof peer;
  if (getpeername(file, (struct sockaddr *)&peer, &length) != 0 || peer.sin_addr.s_addr != htonl(INADDR_LOOPBACK)) return -1;
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } ask = {.header = {.nlmsg_len = sizeof ask, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
           .request = {.sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0U}};
  ask.request.id.idiag_sport = peer.sin_port;
  ask.request.id.idiag_dport = htons(pressured_port(file));
  ask.request.id.idiag_src[0] = ask.request.id.idiag_dst[0] = htonl(INADDR_LOOPBACK);
  ask.request.id.idiag_cookie[0] = ask.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  struct {
    struct nlmsghdr header;
    struct inet_diag_msg found;
    char more[1024];
  } answer = {0};
  int diagnosis = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (diagnosis < 0) return -1;
  ssize_t count = send(diagnosis, &ask, sizeof ask, 0) < 0 ? -1 : recv(diagnosis, &answer, sizeof answer, 0);
  close(diagnosis);
  if (count < (ssize_t)(sizeof answer.header + sizeof answer.found) || answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return -1;
  return answer.found.idiag_state == 1 /* TCP_ESTABLISHED */ ? (long)answer.found.idiag_uid : -1;
}

// The module that struct timeval is imported from differs between debug and release builds. The timeout also applies
// to connect.
static inline int pressured_limit_sending(int file, long milliseconds) {
  struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Swift does not import variadic functions.
static inline int pressured_end_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

// Swift does not import glibc's malloc.h. Setting the threshold also disables its dynamic adjustment.
static inline int pressured_return_memory_from(int size) { return mallopt(M_MMAP_THRESHOLD, size); }
static inline int pressured_return_memory(void) { return malloc_trim(0); }

#if defined(__x86_64__)
#define PRESSURED_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PRESSURED_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Makes execve fail from now on. A unit cannot do this: systemd calls execve after it has installed its filters.
// System calls of other architectures fail, too. Returns ENOSYS if the system call numbers are not known.
static inline int pressured_refuse_programs(void) {
#ifdef PRESSURED_ARCHITECTURE
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PRESSURED_ARCHITECTURE, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      // Numbers from here on are x32's on x86-64, and unused elsewhere.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// Swift does not import flexible array members.
static inline const char *pressured_inotify_name(const struct inotify_event *event) { return event->name; }

// Entries end after their names: Swift would copy a whole struct dirent, beyond the end of the buffer.
static inline const char *pressured_entry_name(const struct dirent *entry) { return entry->d_name; }

// glibc declares these four only with _GNU_SOURCE, which is not defined when Swift imports it.
void *memmem(const void *all, size_t count, const void *part, size_t length);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
extern char **environ;

// Swift 6 does not allow access to mutable C globals.
static inline char **pressured_environment(void) { return environ; }

// The kernel's struct ucred, which glibc declares only with _GNU_SOURCE.
struct pressured_peer {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

// sys/ioctl.h would define struct winsize in this module, too, as it does with glibc 2.43, whose sys/epoll.h includes it.
int ioctl(int file, unsigned long request, ...);

// Requests for feature reports contain their length, so they are no constants. The first byte is the ID of the report.
static inline int pressured_set_feature(int node, void *bytes, int length) {
  return ioctl(node, HIDIOCSFEATURE(length), bytes);
}
static inline int pressured_get_feature(int node, void *bytes, int length) {
  return ioctl(node, HIDIOCGFEATURE(length), bytes);
}
// Returns the length of the report descriptor. Swift imports the array of the kernel's structure as a tuple of 4096 elements,
// which takes the compiler a minute.
static inline int pressured_get_descriptor(int node, void *bytes, size_t capacity) {
  struct hidraw_report_descriptor descriptor = {0};
  int size = 0;
  if (ioctl(node, HIDIOCGRDESCSIZE, &size) < 0) return -1;
  if (size < 0 || (size_t)size > capacity) {
    errno = EMSGSIZE;
    return -1;
  }
  descriptor.size = (unsigned)size;
  if (ioctl(node, HIDIOCGRDESC, &descriptor) < 0) return -1;
  memcpy(bytes, descriptor.value, (size_t)size);
  return size;
}
static inline int pressured_get_hid_identity(int node, struct hidraw_devinfo *identity) {
  return ioctl(node, HIDIOCGRAWINFO, identity);
}
