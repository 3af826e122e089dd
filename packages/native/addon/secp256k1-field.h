/* The field of secp256k1, from libsecp256k1. Include it after secp256k1.c. */
#ifndef COUNTERSIGN_SECP256K1_FIELD_H
#define COUNTERSIGN_SECP256K1_FIELD_H

#include "public-inverses.h"

typedef secp256k1_fe Element;

/* Both coordinates have magnitude 1. */
typedef struct {
  Element x, y;
} Point;

/*
 * INVARIANT: factors of the library's multiplication have magnitude 8 at most. Products and normalized elements have magnitude 1, and only
 * those are subtracted. Each subtraction adds 2, so the longest difference in affine.h, which has four terms, has magnitude 7.
 */
static void normalize_element(Element *a) { secp256k1_fe_normalize_weak(a); }

static void multiply(Element *product, const Element *a, const Element *b) { secp256k1_fe_mul(product, a, b); }

static void square(Element *result, const Element *a) { secp256k1_fe_sqr(result, a); }

static void add(Element *sum, const Element *a, const Element *b) {
  Element both = *a;
  secp256k1_fe_add(&both, b);
  *sum = both;
}

static void subtract(Element *difference, const Element *a, const Element *b) {
  Element negative;
  secp256k1_fe_negate(&negative, b, 1);
  add(difference, a, &negative);
}

static int is_zero_element(const Element *a) {
  Element value = *a;
  return secp256k1_fe_normalizes_to_zero_var(&value);
}

/* 3 x^2 */
static void tangent(Element *numerator, const Element *x) {
  square(numerator, x);
  secp256k1_fe_mul_int(numerator, 3);
}

typedef secp256k1_ge_storage Stored;

static void to_ge(secp256k1_ge *ge, const Point *point) {
  ge->x = point->x;
  ge->y = point->y;
  ge->infinity = 0;
}

static void store(Stored *stored, const Point *point) {
  secp256k1_ge ge;
  to_ge(&ge, point);
  secp256k1_ge_to_storage(stored, &ge);
}

static void load(Point *point, const Stored *stored) {
  secp256k1_ge ge;
  secp256k1_ge_from_storage(&ge, stored);
  point->x = ge.x;
  point->y = ge.y;
}

static void from_ge(Point *point, const secp256k1_ge *ge) {
  point->x = ge->x;
  point->y = ge->y;
  normalize_element(&point->x);
  normalize_element(&point->y);
}

/* Converts to affine coordinates. Returns 0 for the point at infinity. */
static int to_point(Point *point, const secp256k1_gej *sum) {
  secp256k1_fe inverse;
  secp256k1_ge ge;
  if (secp256k1_gej_is_infinity(sum) || !invert_element(&inverse, &sum->z)) return 0;
  secp256k1_ge_set_gej_zinv(&ge, sum, &inverse);
  from_ge(point, &ge);
  return 1;
}

#endif
