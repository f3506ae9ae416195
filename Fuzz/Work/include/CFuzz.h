#pragma once
#include <stdint.h>

// The steps that were counted since the program started.
uint64_t fuzz_work(void);
