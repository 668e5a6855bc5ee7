/* Each worksharing construct, twice in one region, and a team within a team. */
#include "common.h"

/* libomp 16 and older do not have what clang 19 calls at the end of a dynamic loop, and
 * which does nothing. */
__attribute__((weak)) void __kmpc_dispatch_deinit(void *place, int thread) { (void)place, (void)thread; }

int main(void) {
#pragma omp parallel num_threads(2)
  for (int again = 0; again < 2; again++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) spin_us(1);
#pragma omp for schedule(dynamic, 10) nowait
    for (int i = 0; i < 60; i++) spin_us(1);
#pragma omp for schedule(guided, 4)
    for (int i = 0; i < 64; i++) spin_us(1);
#pragma omp sections
    {
#pragma omp section
      spin_us(1);
#pragma omp section
      spin_us(1);
#pragma omp section
      spin_us(1);
    }
#pragma omp single
    spin_us(1);
#pragma omp master
    spin_us(1);
#pragma omp barrier
  }
#pragma omp parallel num_threads(2)
#pragma omp parallel for num_threads(1) schedule(static)
  for (int i = 0; i < 10; i++) spin_us(1);
  return 0;
}
