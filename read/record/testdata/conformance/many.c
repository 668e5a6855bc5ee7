/* Regions of N threads, again and again, with M tasks each. */
#include "common.h"

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 16, rounds = argc > 2 ? atoi(argv[2]) : 4, tasks = argc > 3 ? atoi(argv[3]) : 50;
  for (int r = 0; r < rounds; r++) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < tasks; i++) {
#pragma omp task
      __asm__ volatile("");
    }
  }
  return 0;
}
