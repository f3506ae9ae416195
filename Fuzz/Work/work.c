// Counts the work that an input causes: comparisons in instrumented code, of which every loop has at least one,
// and all allocations. The same input causes the same work on every machine, under any load.
//
// The compiler inserts the wrapped calls for libFuzzer, which uses the return address: hence the tail calls.
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
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

// Without libFuzzer the code is not instrumented, and only allocations count.
#ifndef FUZZ_REPLAYS
COUNT(__sanitizer_cov_trace_cmp1, uint8_t)
COUNT(__sanitizer_cov_trace_cmp2, uint16_t)
COUNT(__sanitizer_cov_trace_cmp4, uint32_t)
COUNT(__sanitizer_cov_trace_cmp8, uint64_t)
COUNT(__sanitizer_cov_trace_const_cmp1, uint8_t)
COUNT(__sanitizer_cov_trace_const_cmp2, uint16_t)
COUNT(__sanitizer_cov_trace_const_cmp4, uint32_t)
COUNT(__sanitizer_cov_trace_const_cmp8, uint64_t)
#endif

static void count_allocation(const volatile void *block, size_t size) {
  (void)block;
  allocations++;
  allocated += size;
}

static void ignore_release(const volatile void *block) { (void)block; }

__attribute__((constructor)) static void begin(void) {
  // Does not link without AddressSanitizer, whose allocator calls the hooks.
  __asan_address_is_poisoned(&allocations);
  __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_release);
}

// An allocation costs about as much as sixteen comparisons, and filling sixteen bytes as much as one.
uint64_t fuzz_work(void) { return comparisons + 16 * allocations + allocated / 16; }
