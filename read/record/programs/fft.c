/* Fast Fourier transform by halving (radix 2): the halves are tasks, and the
 * butterflies that join them are tasks by the block. fft LOG2N GRAIN */
#include "common.h"
#include <complex.h>
#include <math.h>

typedef double complex number;
static long grain, size;
static number *roots;

static void butterflies(number *x, number *half, long from, long to, long n) {
  long stride = size / n;
  for (long k = from; k < to; k++) {
    number t = roots[k * stride] * half[k];
    half[k] = x[k] - t;
    x[k] += t;
  }
}

static void gather(const number *in, long stride, number *out, long n) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  gather(in, 2 * stride, out, n / 2);
  gather(in + stride, 2 * stride, out + n / 2, n / 2);
  butterflies(out, out + n / 2, 0, n / 2, n);
}

static void fft(const number *in, long stride, number *out, long n) {
  if (n <= grain) {
    gather(in, stride, out, n);
    return;
  }
#pragma omp task
  fft(in, 2 * stride, out, n / 2);
#pragma omp task
  fft(in + stride, 2 * stride, out + n / 2, n / 2);
#pragma omp taskwait
  for (long k = 0; k < n / 2; k += grain) {
    long to = k + grain < n / 2 ? k + grain : n / 2;
#pragma omp task
    butterflies(out, out + n / 2, k, to, n);
  }
#pragma omp taskwait
}

int main(int argc, char **argv) {
  size = 1L << argument(argc, argv, 1, 20);
  grain = argument(argc, argv, 2, 32);
  number *in = malloc((size_t)size * sizeof *in), *out = malloc((size_t)size * sizeof *out);
  roots = malloc((size_t)size / 2 * sizeof *roots);
  for (long i = 0; i < size / 2; i++) roots[i] = cexp(-2 * M_PI * I * (double)i / (double)size);
  for (long i = 0; i < size; i++) in[i] = (double)(i % 17) - 8;
#pragma omp parallel
#pragma omp single
  fft(in, 1, out, size);
  double a = 0, b = 0;
  for (long i = 0; i < size; i++) a += cabs(in[i]) * cabs(in[i]), b += cabs(out[i]) * cabs(out[i]);
  printf("fft: energy ratio %.9f\n", b / a / (double)size);
  return fabs(b / a / (double)size - 1) > 1e-6;
}
