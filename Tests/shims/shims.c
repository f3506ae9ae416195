// Calls all functions of the shims with extreme values, under sanitizers.
// usage: shims             exits with 0 if all results are right
//        shims undefined   has undefined behavior, which the sanitizers must detect
#include <CEvdev/shim.h>
#include <CLinux/shim.h>
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static int no_device(void) {
  int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  assert(file >= 0);
  return file;
}

static struct ff_effect click(int16_t number) {
  struct ff_effect effect = {.type = pressured_ff_haptic, .id = number};
  struct pressured_haptic_effect haptic = {
      .hid_usage = pressured_waveform_click, .intensity = 100, .repeat_count = UINT16_MAX, .retrigger_period = UINT16_MAX};
  static_assert(sizeof haptic <= sizeof effect.u, "the union has room");
  memcpy(&effect.u, &haptic, sizeof haptic);
  return effect;
}

static void try_effects(void) {
  int file = no_device();
  for (int number = -1; number <= 1; number++) {
    struct ff_effect effect = click(number);
    assert(pressured_upload_effect(file, &effect) == -1 && errno == ENOTTY);
    assert(pressured_upload_effect(-1, &effect) == -1 && errno == EBADF);
  }
  assert(pressured_upload_effect(file, NULL) == -1);
  static const long numbers[] = {0, 1, -1, INT16_MAX, INT32_MAX, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert(pressured_erase_effect(file, numbers[i]) == -1 && errno == ENOTTY);
    assert(pressured_erase_effect(-1, numbers[i]) == -1 && errno == EBADF);
  }
  close(file);
}

static void try_state(void) {
  int file = no_device();
  // Exactly as long as declared, so that a write beyond the end is detected.
  int32_t *values = malloc(2 * sizeof *values);
  unsigned char *bits = malloc(KEY_CNT / 8);
  assert(pressured_slot_values(file, values, 2 * sizeof *values) == -1 && errno == ENOTTY);
  assert(pressured_keys(file, bits, KEY_CNT / 8) == -1 && errno == ENOTTY);
  assert(pressured_slot_values(-1, values, 0) == -1 && errno == EBADF);
  assert(pressured_keys(-1, bits, 0) == -1 && errno == EBADF);
  free(values), free(bits), close(file);
}

static void try_parent(void) {
  assert(pressured_end_with_parent(SIGTERM) == 0 && pressured_end_with_parent(0) == 0);
  assert(pressured_end_with_parent(-1) == -1 && errno == EINVAL);
}

static void try_accept(void) {
  // An abstract address chosen by the kernel, without a file.
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t length = sizeof(sa_family_t);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  assert(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0);
  assert(pressured_accept(listener) == -1 && errno == EAGAIN);
  length = sizeof address;
  assert(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
  int client = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr *)&address, length) == 0);
  int server = pressured_accept(listener);
  assert(server >= 0 && fcntl(server, F_GETFL) & O_NONBLOCK && fcntl(server, F_GETFD) & FD_CLOEXEC);
  struct pressured_peer peer = {0};
  socklen_t size = sizeof peer;
  assert(getsockopt(server, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && size == sizeof peer);
  assert(peer.pid == getpid() && peer.uid == geteuid() && peer.gid == getegid());
  close(server), close(client), close(listener);
  assert(pressured_accept(-1) == -1 && errno == EBADF);
}

static void try_limit(void) {
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  struct timeval limit;
  socklen_t size = sizeof limit;
  assert(pressured_limit_sending(file, 1500) == 0);
  assert(getsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, &size) == 0);
  assert(limit.tv_sec == 1 && limit.tv_usec >= 490000 && limit.tv_usec <= 510000);
  assert(pressured_limit_sending(file, 0) == 0 && pressured_limit_sending(file, LONG_MAX) == 0);
  close(file);
  assert(pressured_limit_sending(-1, 1) == -1 && errno == EBADF);
}

static void try_inotify(const char *folder) {
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  assert(inotify_add_watch(watch, folder, IN_CREATE | IN_DELETE_SELF) >= 0);
  char path[4096];
  snprintf(path, sizeof path, "%s/%0*d", folder, NAME_MAX, 7);
  close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  // Exactly as long as declared, so that a read beyond the end is detected.
  char bytes[4096];
  ssize_t count = read(watch, bytes, sizeof bytes);
  assert(count > 0);
  char *exact = malloc(count);
  memcpy(exact, bytes, count);
  assert(strcmp(pressured_inotify_name((struct inotify_event *)exact), path + strlen(folder) + 1) == 0);
  free(exact);
  unlink(path), rmdir(folder);
  assert(read(watch, bytes, sizeof bytes) >= (ssize_t)sizeof(struct inotify_event));
  struct inotify_event nameless;
  memcpy(&nameless, bytes, sizeof nameless);
  assert(nameless.len == 0 && pressured_inotify_name(&nameless) == (char *)(&nameless + 1));
  close(watch);
}

static void try_directory(const char *folder) {
  // The longest possible name and the shortest; an entry is no larger than its name requires.
  char path[4096];
  snprintf(path, sizeof path, "%s/%0*d", folder, NAME_MAX, 7);
  close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  DIR *directory = opendir(folder);
  assert(directory);
  int found = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    struct dirent *exact = malloc(entry->d_reclen);
    memcpy(exact, entry, entry->d_reclen);
    const char *name = pressured_entry_name(exact);
    found += strcmp(name, ".") == 0 || strcmp(name, path + strlen(folder) + 1) == 0;
    free(exact);
  }
  assert(found == 2);
  closedir(directory);
  unlink(path);
}

static void try_environment(void) {
  setenv("PRESSURED_SHIMS", "here", 1);
  bool is_there = false;
  for (char **entry = pressured_environment(); *entry; entry++)
    is_there = is_there || strcmp(*entry, "PRESSURED_SHIMS=here") == 0;
  assert(is_there);
}

static void try_memory(void) {
  // A sanitizer has its own allocator, which ignores these calls; they only must not fail.
  (void)pressured_return_memory_from(128 * 1024);
  void *large = malloc(1 << 20);
  assert(large);
  free(large);
  (void)pressured_return_memory();
}

// The requests are those of a hidraw node, which other files refuse.
static void try_features(void) {
  int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  assert(file >= 0);
  unsigned char report[] = {8, 2};
  unsigned char descriptor[] = {8, 2};
  errno = 0;
  assert(pressured_set_feature(file, report, sizeof report) == -1 && errno == ENOTTY);
  errno = 0;
  assert(pressured_get_feature(file, report, sizeof report) == -1 && errno == ENOTTY);
  errno = 0;
  assert(pressured_get_descriptor(file, descriptor, sizeof descriptor) == -1 && errno == ENOTTY && descriptor[0] == 8);
  struct hidraw_devinfo identity = {0};
  errno = 0;
  assert(pressured_get_hid_identity(file, &identity) == -1 && errno == ENOTTY && identity.vendor == 0);
  assert(report[0] == 8 && report[1] == 2);
  close(file);
}

// In a child process, as it cannot be undone.
static void try_programs(void) {
  pid_t child = fork();
  if (child == 0) {
    char *words[] = {"true", NULL};
    if (pressured_refuse_programs() != 0) _exit(1);
    if (execve("/bin/true", words, pressured_environment()) != -1 || errno != EPERM) _exit(2);
    if (syscall(SYS_execveat, AT_FDCWD, "/bin/true", words, words + 1, 0) != -1 || errno != EPERM) _exit(3);
    // All other calls still work, including a second refusal.
    _exit(getppid() > 0 && pressured_refuse_programs() == 0 ? 0 : 4);
  }
  int status = -1;
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void try_loopback(void) {
  int listener = pressured_listen_on_loopback();
  in_port_t port = pressured_port(listener);
  assert(listener >= 0 && port != 0);
  assert(pressured_port(-1) == 0 && pressured_loopback_user(-1) == -1 && pressured_loopback_user(listener) == -1);
  int browser = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  assert(connect(browser, (struct sockaddr *)&address, sizeof address) == 0);
  int served = pressured_accept(listener);
  assert(served >= 0 && pressured_loopback_user(served) == (long)geteuid());
  // A port at another address is not the browser's, and may be anybody's.
  struct sockaddr_in own;
  socklen_t length = sizeof own;
  assert(getsockname(browser, (struct sockaddr *)&own, &length) == 0);
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert(bind(stranger, (struct sockaddr *)&own, sizeof own) == 0);
  assert(connect(stranger, (struct sockaddr *)&address, sizeof address) == 0);
  int deceived = pressured_accept(listener);
  assert(deceived >= 0 && pressured_loopback_user(deceived) == -1);
  close(stranger), close(deceived);
  // Once it is closed it belongs to nobody, not even to root.
  close(browser);
  assert(pressured_loopback_user(served) == -1);
  close(served);
  close(listener);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "undefined") == 0) {
    volatile int most = INT32_MAX;
    return most + count > 0;
  }
  char folder[] = "/tmp/pressured-shims-XXXXXX";
  assert(mkdtemp(folder));
  try_effects();
  try_state();
  try_parent();
  try_accept();
  try_directory(folder);
  try_inotify(folder);
  try_environment();
  try_memory();
  try_features();
  try_programs();
  try_limit();
  try_loopback();
  puts("all did what it should");
}
