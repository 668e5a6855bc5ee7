/* Jacobi's iteration on a square grid, a task per tile and step, by dependences on
 * the neighbours. jacobi N TILE STEPS */
#include "common.h"
#include <math.h>

static int n, tile;

static void relax(const double *from, double *to, int i0, int j0) {
  for (int i = i0; i < i0 + tile; i++)
    for (int j = j0; j < j0 + tile; j++)
      if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}

int main(int argc, char **argv) {
  n = (int)argument(argc, argv, 1, 1024);
  tile = (int)argument(argc, argv, 2, 64);
  int steps = (int)argument(argc, argv, 3, 100), t = n / tile;
  double *grid[2] = {calloc((size_t)n * (size_t)n, sizeof(double)), calloc((size_t)n * (size_t)n, sizeof(double))};
  for (int i = 0; i < n; i++) grid[0][i] = grid[1][i] = 1;
  char *at[2] = {calloc((size_t)(t + 2) * (size_t)(t + 2), 1), calloc((size_t)(t + 2) * (size_t)(t + 2), 1)};
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < t; i++)
      for (int j = 0; j < t; j++) {
        const double *from = grid[s % 2];
        double *to = grid[(s + 1) % 2];
        char *f = at[s % 2] + (i + 1) * (t + 2) + j + 1, *g = at[(s + 1) % 2] + (i + 1) * (t + 2) + j + 1;
#pragma omp task depend(in : f[0], f[-1], f[1], f[-t - 2], f[t + 2]) depend(out : g[0])
        relax(from, to, i * tile, j * tile);
        (void)f, (void)g;
      }
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += grid[steps % 2][i];
  printf("jacobi: %.9f\n", sum);
  return !isfinite(sum);
}
