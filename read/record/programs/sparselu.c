/* LU factorisation of a sparse matrix of dense blocks, by dependences on blocks.
 * sparselu BLOCKS SIZE */
#include "common.h"
#include <math.h>

static int nb, bs;
static double **block;
#define B(i, j) block[(i) * nb + (j)]

static double *fresh(int fill, int i, int j) {
  double *b = calloc((size_t)bs * (size_t)bs, sizeof *b);
  uint64_t seed = (uint64_t)(i * nb + j + 1) * 7919;
  for (int k = 0; fill && k < bs * bs; k++) b[k] = (double)(random32(&seed) % 1000) / 1000;
  for (int k = 0; fill && i == j && k < bs; k++) b[k * bs + k] += 4.0 * bs;
  return b;
}

static void lu0(double *d) {
  for (int k = 0; k < bs; k++)
    for (int i = k + 1; i < bs; i++) {
      d[i * bs + k] /= d[k * bs + k];
      for (int j = k + 1; j < bs; j++) d[i * bs + j] -= d[i * bs + k] * d[k * bs + j];
    }
}

static void forward(const double *d, double *r) {
  for (int k = 0; k < bs; k++)
    for (int i = k + 1; i < bs; i++)
      for (int j = 0; j < bs; j++) r[i * bs + j] -= d[i * bs + k] * r[k * bs + j];
}

static void divide(const double *d, double *c) {
  for (int i = 0; i < bs; i++)
    for (int k = 0; k < bs; k++) {
      c[i * bs + k] /= d[k * bs + k];
      for (int j = k + 1; j < bs; j++) c[i * bs + j] -= c[i * bs + k] * d[k * bs + j];
    }
}

static void modify(const double *r, const double *c, double *m) {
  for (int i = 0; i < bs; i++)
    for (int k = 0; k < bs; k++)
      for (int j = 0; j < bs; j++) m[i * bs + j] -= r[i * bs + k] * c[k * bs + j];
}

static void factorise(void) {
  for (int k = 0; k < nb; k++) {
    double *d = B(k, k);
#pragma omp task depend(inout : d[0]) firstprivate(d)
    lu0(d);
    for (int j = k + 1; j < nb; j++)
      if (B(k, j)) {
        double *r = B(k, j);
#pragma omp task depend(in : d[0]) depend(inout : r[0]) firstprivate(d, r)
        forward(d, r);
      }
    for (int i = k + 1; i < nb; i++)
      if (B(i, k)) {
        double *c = B(i, k);
#pragma omp task depend(in : d[0]) depend(inout : c[0]) firstprivate(d, c)
        divide(d, c);
      }
    for (int i = k + 1; i < nb; i++)
      for (int j = k + 1; j < nb; j++)
        if (B(i, k) && B(k, j)) {
          if (!B(i, j)) B(i, j) = fresh(0, i, j);
          double *a = B(i, k), *b = B(k, j), *m = B(i, j);
#pragma omp task depend(in : a[0], b[0]) depend(inout : m[0]) firstprivate(a, b, m)
          modify(a, b, m);
        }
  }
#pragma omp taskwait
}

int main(int argc, char **argv) {
  nb = (int)argument(argc, argv, 1, 40);
  bs = (int)argument(argc, argv, 2, 32);
  block = calloc((size_t)nb * (size_t)nb, sizeof *block);
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++)
      if (i == j || (i * 3 + j * 5) % 7 == 0) B(i, j) = fresh(1, i, j);
#pragma omp parallel
#pragma omp single
  factorise();
  double sum = 0;
  for (int k = 0; k < nb; k++) sum += B(k, k)[bs * bs - 1];
  printf("sparselu: %.6f\n", sum);
  return !isfinite(sum);
}
