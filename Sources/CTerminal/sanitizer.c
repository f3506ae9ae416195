// With AddressSanitizer only. What a global constant holds is allocated once and never freed; the sanitizer does not recognize the pointer
// to an indirect enum, in whose upper bits Swift stores the case, such as those in the table of requests.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:swift::threading_impl::once_slow\n"; }
#endif
#endif
