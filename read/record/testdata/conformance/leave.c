/* Leaves in the middle of a region, in the way the argument says; before that all
 * tasks but the last are done. */
#include "common.h"
#include <signal.h>
#include <string.h>

static void leave(const char *how) {
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "segv")) raise(SIGSEGV);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "exit";
  int n = argc > 2 ? atoi(argv[2]) : 100;
  REGION {
    for (int i = 0; i < n; i++) {
#pragma omp task if (0)
      __asm__ volatile("");
    }
#pragma omp task if (0)
    leave(how);
  }
  return 0;
}
