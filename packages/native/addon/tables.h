/* Tables of the multiples of a point, for many products with the same point. They hold public values alone. Included behind
 * secp256k1.c, whose arithmetic they use. */
#ifndef COUNTERSIGN_TABLES_H
#define COUNTERSIGN_TABLES_H

#include <stdlib.h>

#define SCALAR_BITS 256
#define TABLE_ROWS(width) (SCALAR_BITS / (width) + 1)

/*
 * Row i holds 2^(width - 1) multiples of 2^(i width) P: 1, 1 + step, 1 + 2 step and so on. A digit of a scalar is added or subtracted, so
 * half of what it may be suffices.
 */
typedef struct {
  int width;
  int rows;
  secp256k1_ge_storage *points;
} Table;

/* Gives 0 where there is not enough memory. */
static int make_table(Table *table, const secp256k1_ge *point, int width, int step) {
  const int rows = TABLE_ROWS(width), half = 1 << (width - 1);
  const size_t total = (size_t)rows * (size_t)half;
  secp256k1_gej *sums = malloc(total * sizeof *sums);
  secp256k1_ge *affine = malloc(total * sizeof *affine);
  secp256k1_ge_storage *points = malloc(total * sizeof *points);
  if (sums != NULL && affine != NULL && points != NULL) {
    secp256k1_gej base, next;
    secp256k1_gej_set_ge(&base, point);
    for (int row = 0; row < rows; row++) {
      secp256k1_gej *multiples = sums + (size_t)row * (size_t)half;
      multiples[0] = next = base;
      for (int j = 1; j < step; j++) secp256k1_gej_add_var(&next, &next, &base, NULL);
      for (int j = 1; j < half; j++) secp256k1_gej_add_var(&multiples[j], &multiples[j - 1], &next, NULL);
      for (int j = 0; j < width; j++) secp256k1_gej_double_var(&base, &base, NULL);
    }
    secp256k1_ge_set_all_gej_var(affine, sums, total);
    for (size_t k = 0; k < total; k++) secp256k1_ge_to_storage(&points[k], &affine[k]);
    table->width = width;
    table->rows = rows;
    table->points = points;
    points = NULL;
  }
  const int made = table->points != NULL;
  free(sums);
  free(affine);
  free(points);
  return made;
}

#endif
