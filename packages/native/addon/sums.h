/*
 * Sums of points, many at a time. An addition of affine points needs an inversion, and inversions can be shared (Montgomery's trick): with
 * that it takes five multiplications and a squaring, where one in Jacobian coordinates takes eight and three. So points are added in
 * pairs, then the sums in pairs, and so on. Variable time: public values alone. Included behind secp256k1.c.
 */
#ifndef COUNTERSIGN_SUMS_H
#define COUNTERSIGN_SUMS_H

#include "public-inverses.h"
#include "tables.h"

#define MOST_LISTS 16
#define MOST_POINTS 96
/* Fewer pairs are added in Jacobian coordinates: then the inversion costs more than it spares. */
#define FEWEST_PAIRS 8

typedef struct {
  secp256k1_ge points[MOST_POINTS];
  int length;
} PointList;

typedef struct {
  PointList lists[MOST_LISTS];
  int count;
  secp256k1_fe products[MOST_LISTS * MOST_POINTS / 2];
} Sums;

/* Adds what makes up scalar P. The points have a magnitude of 2 at most, as in all lists. */
static void list_product(PointList *list, const Table *table, const secp256k1_scalar *scalar) {
  const int width = table->width, half = 1 << (width - 1);
  int carry = 0;
  for (int row = 0; row < table->rows; row++) {
    const int offset = row * width, left = SCALAR_BITS - offset, bits = left < width ? left : width;
    int digit = (bits > 0 ? (int)secp256k1_scalar_get_bits_var(scalar, (unsigned)offset, (unsigned)bits) : 0) + carry;
    carry = digit > half;
    if (carry) digit -= 1 << width;
    if (digit == 0) continue;
    secp256k1_ge *point = &list->points[list->length++];
    secp256k1_ge_from_storage(point, &table->points[row * half + abs(digit) - 1]);
    if (digit < 0) secp256k1_ge_neg(point, point);
  }
}

/* x of b - x of a */
static void subtract_x(secp256k1_fe *difference, const secp256k1_ge *b, const secp256k1_ge *a) {
  secp256k1_fe_negate(difference, &a->x, 2);
  secp256k1_fe_add(difference, &b->x);
}

/* a = a + b, where `inverse` is that of the difference of their x. */
static void add_affine(secp256k1_ge *a, const secp256k1_ge *b, const secp256k1_fe *inverse) {
  secp256k1_fe slope, x, y, negative;
  secp256k1_fe_negate(&slope, &a->y, 2);
  secp256k1_fe_add(&slope, &b->y);
  secp256k1_fe_mul(&slope, &slope, inverse);
  secp256k1_fe_sqr(&x, &slope);
  secp256k1_fe_negate(&negative, &a->x, 2);
  secp256k1_fe_add(&x, &negative);
  secp256k1_fe_negate(&negative, &b->x, 2);
  secp256k1_fe_add(&x, &negative);
  secp256k1_fe_normalize_weak(&x);
  secp256k1_fe_negate(&y, &x, 1);
  secp256k1_fe_add(&y, &a->x);
  secp256k1_fe_mul(&y, &y, &slope);
  secp256k1_fe_negate(&negative, &a->y, 2);
  secp256k1_fe_add(&y, &negative);
  secp256k1_fe_normalize_weak(&y);
  a->x = x;
  a->y = y;
}

static int count_pairs(const Sums *sums) {
  int pairs = 0;
  for (int i = 0; i < sums->count; i++) pairs += sums->lists[i].length / 2;
  return pairs;
}

/*
 * Adds the second half of each list to its first half. Gives 0 and leaves all as it is where two points have the same x: then one is
 * the other, or its negative, and this is not the way to add them.
 */
static int add_halves(Sums *sums) {
  secp256k1_fe inverse, difference, own;
  int done = 0;
  for (int i = 0; i < sums->count; i++) {
    PointList *list = &sums->lists[i];
    const int kept = (list->length + 1) / 2;
    for (int j = 0; j < list->length - kept; j++, done++) {
      subtract_x(&difference, &list->points[kept + j], &list->points[j]);
      if (done == 0) sums->products[0] = difference;
      else secp256k1_fe_mul(&sums->products[done], &sums->products[done - 1], &difference);
    }
  }
  if (done == 0 || !invert_element(&inverse, &sums->products[done - 1])) return 0;
  for (int i = sums->count; i-- > 0;) {
    PointList *list = &sums->lists[i];
    const int kept = (list->length + 1) / 2;
    for (int j = list->length - kept; j-- > 0;) {
      /* INVARIANT: `inverse` is that of the product of the first `done` differences. */
      done--;
      own = inverse;
      if (done > 0) {
        subtract_x(&difference, &list->points[kept + j], &list->points[j]);
        secp256k1_fe_mul(&own, &inverse, &sums->products[done - 1]);
        secp256k1_fe_mul(&inverse, &inverse, &difference);
      }
      add_affine(&list->points[j], &list->points[kept + j], &own);
    }
    list->length = kept;
  }
  return 1;
}

/* Makes lists shorter, as long as that is the cheaper way. */
static void add_pairs(Sums *sums) {
  while (count_pairs(sums) >= FEWEST_PAIRS && add_halves(sums));
}

/* The normalized sum of what is left in a list. Gives 0 for the point at infinity. */
static int add_list(secp256k1_ge *sum, const PointList *list) {
  if (list->length == 1) {
    *sum = list->points[0];
  } else {
    secp256k1_gej all;
    secp256k1_gej_set_infinity(&all);
    for (int i = 0; i < list->length; i++) secp256k1_gej_add_ge_var(&all, &all, &list->points[i], NULL);
    if (!to_affine(sum, &all)) return 0;
  }
  secp256k1_fe_normalize_var(&sum->x);
  secp256k1_fe_normalize_var(&sum->y);
  return 1;
}

#endif
