/* Each sort of mutual exclusion, a known number of times. */
#include <omp.h>
#include "common.h"

/* libomp 16 and older do not have what clang 19 calls at the end of a dynamic loop, and
 * which does nothing. */
__attribute__((weak)) void __kmpc_dispatch_deinit(void *place, int thread) { (void)place, (void)thread; }

int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  long sum = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 10; i++) {
#pragma omp critical(name)
      { spin_us(1); sum++; }
    }
    for (int i = 0; i < 5; i++) {
      omp_set_lock(&lock);
      spin_us(1);
      omp_unset_lock(&lock);
    }
    omp_set_nest_lock(&nested);
    omp_set_nest_lock(&nested);
    spin_us(1);
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
#pragma omp barrier
#pragma omp master
    {
      if (omp_test_lock(&lock)) omp_unset_lock(&lock);
      omp_set_lock(&lock);
      omp_test_lock(&lock); /* fails */
      omp_unset_lock(&lock);
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 8; i++) {
#pragma omp ordered
      sum += i;
    }
  }
  return sum != 20 + 28;
}
