/* if(0), and a final task whose children are included. */
#include "common.h"

int main(void) {
  REGION {
#pragma omp task if (0)
    spin_us(20);
#pragma omp task final(1)
    {
#pragma omp task
      spin_us(10);
#pragma omp task
      spin_us(10);
    }
  }
  return 0;
}
