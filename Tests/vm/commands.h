// A device that executes commands from its standard input, one per line, and meanwhile answers the kernel.
#ifndef COMMANDS_H
#define COMMANDS_H

// Prints the error and exits.
__attribute__((noreturn)) void fail(const char *attempt);

// Executes commands until the end of the input or "quit". After each command, prints a line "done" to wait for.
// Words: those of the command, at most four; "" if there are fewer.
void handle_commands(int device, void (*handle)(char *words[4]), void (*answer_kernel)(void));

// Pauses between two frames.
void pause_for(long microseconds);

#endif
