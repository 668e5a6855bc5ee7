/* An OpenMP program with something to record; its arguments say what else. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double cell[4];

static void work(double *x) {
  for (int i = 0; i < 1000; i++) *x = *x * 0.999 + 1;
}

static void chain(int n) {
  for (int i = 0; i < n; i++) {
#pragma omp task depend(out : cell[0])
    work(&cell[0]);
#pragma omp task depend(in : cell[0]) depend(inout : cell[1])
    cell[1] += cell[0];
  }
#pragma omp taskwait
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void end(const char *how) {
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "exit")) exit(4);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
#pragma omp parallel
#pragma omp single
  {
    if (!strcmp(how, "paused")) {
      fib(5);
      omp_control_tool(omp_control_tool_start, 0, NULL);
    }
    chain(10);
    omp_control_tool(64, 7, "half");
    end(how);
    fib(!strcmp(how, "many") ? 22 : 8);
  }
  if (!*how) printf("%g\n", cell[1] > 0 ? 1.0 : 0.0);
  return !strcmp(how, "fail") ? 5 : 0;
}
