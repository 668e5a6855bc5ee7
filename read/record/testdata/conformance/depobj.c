/* Dependences from an object and from an iterator; one task has eleven. */
#include "common.h"

int main(void) {
  int x = 0, a[10] = {0};
  omp_depend_t object;
  REGION {
#pragma omp depobj(object) depend(inout : x)
#pragma omp task depend(depobj : object)
    spin_us(10);
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : a[i])
      spin_us(5);
    }
#pragma omp task depend(iterator(i = 0 : 10), in : a[i]) depend(depobj : object)
    spin_us(10);
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  return x + a[0];
}
