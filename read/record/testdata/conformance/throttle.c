/* More tasks than the runtime keeps: some run where they are created. */
#include "common.h"

int main(void) {
#pragma omp parallel
  {
    for (int i = 0; i < 1000; i++) {
#pragma omp task
      spin_us(1);
    }
  }
  return 0;
}
