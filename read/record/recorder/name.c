/* The file's name: a pattern with letters for the process, the host and the MPI rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

static const char *rank(void) {
  static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i])) return getenv(names[i]);
  return "0";
}

bool name_expand(const char *pattern, char *to, size_t size) {
  char host[256] = "localhost", pid[16];
  gethostname(host, sizeof host - 1);
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  size_t n = 0;
  for (const char *p = pattern; *p; p++) {
    char one[2] = {*p, 0};
    const char *add = one;
    if (*p == '%' && p[1]) {
      p++;
      add = *p == 'p' ? pid : *p == 'h' ? host : *p == 'r' ? rank() : *p == '%' ? "%" : "";
    }
    size_t length = strlen(add);
    if (n + length >= size) return false;
    memcpy(to + n, add, length);
    n += length;
  }
  to[n] = 0;
  return true;
}
