// A device that does what it is told on its standard input, a line at a time, and meanwhile answers the kernel.
#ifndef ORDERS_H
#define ORDERS_H

// Says why and ends.
__attribute__((noreturn)) void fail(const char *attempt);

// Obeys until the input ends or says "quit". Each order is answered by a line "done", so that who gives it can wait.
// Words: of the order, at most four, "" where there are fewer.
void follow_orders(int device, void (*obey)(char *words[4]), void (*answer_kernel)(void));

// Waits so long between two frames.
void pause_for(long microseconds);

#endif
