/* Works for a while after its last event and is then killed. */
#include <signal.h>
#include "common.h"

int main(void) {
#pragma omp parallel num_threads(2)
  {
    spin_us(300000);
#pragma omp barrier
    spin_us(200000);
    if (omp_get_thread_num() == 0) raise(SIGKILL);
    spin_us(10000000);
  }
  return 0;
}
