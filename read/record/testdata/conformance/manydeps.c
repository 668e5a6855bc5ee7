/* More dependences than a record holds: 5000 tasks' cells, then one that reads all. */
#include "common.h"

enum { N = 5000 };

int main(void) {
  static char cell[N];
  REGION {
    for (int i = 0; i < N; i += 100) {
#pragma omp task depend(out : cell[i])
      cell[i] = 1;
    }
#pragma omp task depend(iterator(i = 0 : N), in : cell[i])
    spin_us(10);
  }
  return cell[0] != 1;
}
