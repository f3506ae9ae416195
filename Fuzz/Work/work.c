// Counts the work that a fuzz target does: comparisons in code that is instrumented, which every loop makes,
// and what is allocated by anybody. The same input is the same work, on any machine at any load.
//
// libFuzzer's own functions are told of each comparison, too: by a jump, as they look at who has called.
#include <sanitizer/allocator_interface.h>
#include <stddef.h>
#include <stdint.h>

#include "CFuzz.h"

static uint64_t comparisons, allocations, allocated;

#define COUNT(name, type)                                     \
  void __real_##name(type, type);                             \
  void __wrap_##name(type first, type second) {               \
    comparisons++;                                            \
    __attribute__((musttail)) return __real_##name(first, second); \
  }

COUNT(__sanitizer_cov_trace_cmp1, uint8_t)
COUNT(__sanitizer_cov_trace_cmp2, uint16_t)
COUNT(__sanitizer_cov_trace_cmp4, uint32_t)
COUNT(__sanitizer_cov_trace_cmp8, uint64_t)
COUNT(__sanitizer_cov_trace_const_cmp1, uint8_t)
COUNT(__sanitizer_cov_trace_const_cmp2, uint16_t)
COUNT(__sanitizer_cov_trace_const_cmp4, uint32_t)
COUNT(__sanitizer_cov_trace_const_cmp8, uint64_t)

static void allocate(const volatile void *place, size_t size) {
  (void)place;
  allocations++;
  allocated += size;
}

static void release(const volatile void *place) { (void)place; }

__attribute__((constructor)) static void begin(void) {
  __sanitizer_install_malloc_and_free_hooks(allocate, release);
}

// An allocation costs some sixteen comparisons, and to fill sixteen bytes about one.
uint64_t fuzz_work(void) { return comparisons + 16 * allocations + allocated / 16; }
