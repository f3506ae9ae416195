// With AddressSanitizer only. What a global constant holds is allocated once and never freed; the detector of leaks does not recognize the
// pointers of enums in whose upper bits Swift stores the case, such as those in the table of requests. It ignores these allocations by the
// call that makes them, as it cannot look up names in a service, which must not execute its symbolizer.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/lsan_interface.h>

void swift_once(void *predicate, void (*initialize)(void *), void *context);
void swift_once(void *predicate, void (*initialize)(void *), void *context) {
  static void (*next)(void *, void (*)(void *), void *);
  if (!next) next = (void (*)(void *, void (*)(void *), void *))dlsym(RTLD_NEXT, "swift_once");
  __lsan_disable();
  next(predicate, initialize, context);
  __lsan_enable();
}
#endif
#endif
