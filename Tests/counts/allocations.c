// Counts the allocations of a program; preloaded, it stores the number in the file $ALLOCATIONS, which can be read at
// any time.
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static unsigned long before;
static unsigned long *count = &before;

void *malloc(size_t size) {
  ++*count;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  ++*count;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  ++*count;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  ++*count;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  ++*count;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}

__attribute__((constructor)) static void share(void) {
  const char *path = getenv("ALLOCATIONS");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof *count) < 0) return;
  void *place = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (place == MAP_FAILED) return;
  count = place;
  *count = before;
}
