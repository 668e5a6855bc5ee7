/* Two regions in each implicit task of a region, with tasks at both levels. */
#include "common.h"

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp task
    spin_us(10);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task
      spin_us(10);
    }
  }
  return 0;
}
