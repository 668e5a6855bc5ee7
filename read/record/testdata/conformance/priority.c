/* Priorities have no event of their own. */
#include "common.h"

int main(void) {
  REGION for (int i = 0; i < 8; i++) {
#pragma omp task priority(i)
    spin_us(10);
  }
  return 0;
}
