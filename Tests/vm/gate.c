// Preloaded into the daemon: while /run/guest/gate is a named pipe, each read of an input device waits until a writer has
// opened and closed it, so that a test decides what happens between the wake-up and the read.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/major.h>

ssize_t read(int descriptor, void *bytes, size_t count) {
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && major(status.st_rdev) == INPUT_MAJOR) {
    int gate = open("/run/guest/gate", O_RDONLY | O_CLOEXEC);
    char byte;
    if (gate >= 0) {
      (void)!syscall(SYS_read, gate, &byte, 1);
      close(gate);
    }
  }
  return syscall(SYS_read, descriptor, bytes, count);
}
