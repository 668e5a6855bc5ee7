/* Built as a library: tasks in a library that is gone at the end. As a program: loads
 * it, runs it, unloads it. */
#include "common.h"

#ifdef PLUGIN
static void inner(int *x) { ++*x; }

int plugin_run(void) {
  int x = 0;
  REGION {
#pragma omp task if (0) shared(x)
    inner(&x);
  }
  return x;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv) {
  usleep(20000);
#pragma omp parallel
  spin_us(1);
  usleep(20000);
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) return 1;
  int (*run)(void) = (int (*)(void))dlsym(library, "plugin_run");
  int x = run();
  dlclose(library);
  return x != 1;
}
#endif
