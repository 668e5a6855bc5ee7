/* An unbalanced tree, searched with a task per node: each node has CHILDREN
 * children with a chance that a hash decides. uts ROOT CHILDREN PERMILLE */
#include "common.h"

static long children, permille;

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* hash is SHA-1 (FIPS 180-4) of a node's name, one block, as the original does. */
static uint64_t hash(uint64_t name) {
  uint32_t w[80] = {(uint32_t)(name >> 32), (uint32_t)name, 0x80000000u};
  uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  w[15] = 64;
  for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (int i = 0; i < 80; i++) {
    uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999u : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                 : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu : (b ^ c ^ d) + 0xca62c1d6u;
    uint32_t t = rotate(a, 5) + f + e + w[i];
    e = d, d = c, c = rotate(b, 30), b = a, a = t;
  }
  return (uint64_t)(h[0] + a) << 32 | (h[1] + b);
}

static long search(uint64_t node, long n) {
  long found[64], sum = 1;
  for (long i = 0; i < n; i++) {
    uint64_t child = hash(node + (uint64_t)i + 1);
    long below = (long)(child % 1000) < permille ? children : 0;
#pragma omp task shared(found) firstprivate(i, child, below)
    found[i] = search(child, below);
  }
#pragma omp taskwait
  for (long i = 0; i < n; i++) sum += found[i];
  return sum;
}

int main(int argc, char **argv) {
  long root = argument(argc, argv, 1, 2000), total = 0;
  children = argument(argc, argv, 2, 8);
  permille = argument(argc, argv, 3, 124);
  if (children > 64) children = 64;
#pragma omp parallel
#pragma omp single
  {
    for (long i = 0; i < root; i++) {
#pragma omp task firstprivate(i)
      {
        long n = search(hash((uint64_t)i), children);
#pragma omp atomic
        total += n;
      }
    }
#pragma omp taskwait
  }
  printf("uts: %ld nodes\n", total);
  return 0;
}
