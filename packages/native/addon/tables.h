/* Tables of the multiples of a point, for sums of many products with the same points. Public values alone: the time that a sum takes
 * depends on the scalars. Included behind secp256k1.c, whose arithmetic it uses. */
#ifndef COUNTERSIGN_TABLES_H
#define COUNTERSIGN_TABLES_H

#include <stdlib.h>

#define SCALAR_BITS 256

/* Row i holds the multiples 1 to 2^(width - 1) of 2^(i width) P. A digit of a scalar is added or subtracted, so half of them suffice. */
typedef struct {
  int width;
  int rows;
  secp256k1_ge_storage *points;
} Table;

static int table_rows(int width) { return SCALAR_BITS / width + 1; }

/* Gives 0 where there is not enough memory. */
static int make_table(Table *table, const secp256k1_ge *point, int width) {
  const int rows = table_rows(width), half = 1 << (width - 1);
  const size_t total = (size_t)rows * (size_t)half;
  secp256k1_gej *sums = malloc(total * sizeof *sums);
  secp256k1_ge *affine = malloc(total * sizeof *affine);
  secp256k1_ge_storage *points = malloc(total * sizeof *points);
  if (sums != NULL && affine != NULL && points != NULL) {
    secp256k1_gej base;
    secp256k1_gej_set_ge(&base, point);
    for (int row = 0; row < rows; row++) {
      secp256k1_gej *multiples = sums + (size_t)row * (size_t)half;
      multiples[0] = base;
      for (int j = 1; j < half; j++) secp256k1_gej_add_var(&multiples[j], &multiples[j - 1], &base, NULL);
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

/* sum += scalar P */
static void add_product(secp256k1_gej *sum, const Table *table, const secp256k1_scalar *scalar) {
  const int width = table->width, half = 1 << (width - 1);
  int carry = 0;
  for (int row = 0; row < table->rows; row++) {
    const int offset = row * width, left = SCALAR_BITS - offset, bits = left < width ? left : width;
    int digit = (bits > 0 ? (int)secp256k1_scalar_get_bits_var(scalar, (unsigned)offset, (unsigned)bits) : 0) + carry;
    carry = digit > half;
    if (carry) digit -= 1 << width;
    if (digit == 0) continue;
    secp256k1_ge point;
    secp256k1_ge_from_storage(&point, &table->points[row * half + abs(digit) - 1]);
    if (digit < 0) secp256k1_ge_neg(&point, &point);
    secp256k1_gej_add_ge_var(sum, sum, &point, NULL);
  }
}

#endif
