/* A child that only ends, and one that has tasks of its own. */
#include "common.h"
#include <sys/wait.h>

static void tasks(int n) {
  REGION for (int i = 0; i < n; i++) {
#pragma omp task if (0)
    spin_us(1);
  }
}

int main(void) {
  int status;
  tasks(3);
  if (fork() == 0) _exit(0);
  wait(&status);
  if (fork() == 0) {
    tasks(5);
    exit(0);
  }
  wait(&status);
  tasks(2);
  return 0;
}
