/*
 * Sums of points and tables of their multiples in affine coordinates, for curves of prime order. An affine addition needs an inversion,
 * but many additions can share one (Montgomery's trick). Each then takes five multiplications and a squaring; an addition in Jacobian
 * coordinates takes eight and three.
 *
 * SECURITY: variable time. Public values only.
 *
 * Include it after the field of a curve (p256-field.h, secp256k1-field.h), which defines Element, Point and Stored, and after the
 * definitions of MOST_LISTS (lists per batch) and MOST_POINTS (points per list).
 */
#ifndef COUNTERSIGN_AFFINE_H
#define COUNTERSIGN_AFFINE_H

#include <stdlib.h>

#include "modular-inverse.h"

/* sum = a + b, for the slope of the line through a and b, or of the tangent if they are equal. `sum` may alias `a`. */
static void add_on_line(Point *sum, const Point *a, const Point *b, const Element *slope) {
  Element x, y;
  square(&x, slope);
  subtract(&x, &x, &a->x);
  subtract(&x, &x, &b->x);
  normalize_element(&x);
  subtract(&y, &a->x, &x);
  multiply(&y, &y, slope);
  subtract(&y, &y, &a->y);
  normalize_element(&y);
  sum->x = x;
  sum->y = y;
}

/* point = 2 point. No y is zero in a group of prime order. */
static int double_point(Point *point) {
  Element slope, inverse;
  add(&inverse, &point->y, &point->y);
  if (!invert_element(&inverse, &inverse)) return 0;
  tangent(&slope, &point->x);
  multiply(&slope, &slope, &inverse);
  add_on_line(point, point, point, &slope);
  return 1;
}

/* *to += *other, with an inversion that all additions of a batch share. */
typedef struct {
  Point *to;
  const Point *other;
  Element product; /* of the x differences up to this addition */
} Addition;

/* Returns 0 and changes no point if two points of an addition have the same x: they are equal, or one is the negative of the other. */
static int add_each(Addition *additions, size_t count) {
  Element inverse, difference, own, slope;
  if (count == 0) return 1;
  for (size_t i = 0; i < count; i++) {
    subtract(&difference, &additions[i].other->x, &additions[i].to->x);
    if (i == 0) additions[i].product = difference;
    else multiply(&additions[i].product, &additions[i - 1].product, &difference);
  }
  if (!invert_element(&inverse, &additions[count - 1].product)) return 0;
  for (size_t i = count; i-- > 0;) {
    const Addition *addition = &additions[i];
    /* INVARIANT: `inverse` is the inverse of the product of the first i + 1 differences. */
    own = inverse;
    if (i > 0) {
      subtract(&difference, &addition->other->x, &addition->to->x);
      multiply(&own, &inverse, &additions[i - 1].product);
      multiply(&inverse, &inverse, &difference);
    }
    subtract(&slope, &addition->other->y, &addition->to->y);
    multiply(&slope, &slope, &own);
    add_on_line(addition->to, addition->to, addition->other, &slope);
  }
  return 1;
}

/* Points to add up. */
typedef struct {
  Point points[MOST_POINTS];
  size_t length;
} PointList;

/* A batch of lists. */
typedef struct {
  PointList lists[MOST_LISTS];
  size_t count;
  Addition additions[MOST_LISTS * MOST_POINTS / 2];
} Sums;

/* An inversion for fewer additions costs more than it saves. */
#define FEWEST_TOGETHER 8

/* Adds the second half of each list to its first half, repeatedly. Stops if two points of an addition have the same x. */
static void add_halves(Sums *sums) {
  for (;;) {
    size_t count = 0;
    for (size_t i = 0; i < sums->count; i++) {
      PointList *list = &sums->lists[i];
      const size_t kept = (list->length + 1) / 2;
      for (size_t j = 0; kept + j < list->length; j++, count++) {
        sums->additions[count].to = &list->points[j];
        sums->additions[count].other = &list->points[kept + j];
      }
    }
    if (count < FEWEST_TOGETHER || !add_each(sums->additions, count)) return;
    for (size_t i = 0; i < sums->count; i++) sums->lists[i].length = (sums->lists[i].length + 1) / 2;
  }
}

/* The sum of a nonempty list, in Jacobian coordinates. Returns 0 if two points of an addition have the same x: z is then 0. */
static int sum_with_one_inversion(Point *sum, const PointList *list) {
  Element x = list->points[0].x, y = list->points[0].y, z, zz, h, hh, r, v;
  for (size_t i = 1; i < list->length; i++) {
    const Point *next = &list->points[i];
    if (i == 1) {
      subtract(&h, &next->x, &x);
      subtract(&r, &next->y, &y);
      z = h;
    } else {
      square(&zz, &z);
      multiply(&h, &next->x, &zz);
      subtract(&h, &h, &x);
      multiply(&zz, &zz, &z);
      multiply(&r, &next->y, &zz);
      subtract(&r, &r, &y);
      multiply(&z, &z, &h);
    }
    square(&hh, &h);
    multiply(&v, &x, &hh);
    multiply(&h, &h, &hh);
    square(&x, &r);
    subtract(&x, &x, &h);
    subtract(&x, &x, &v);
    subtract(&x, &x, &v);
    normalize_element(&x);
    multiply(&h, &h, &y);
    subtract(&v, &v, &x);
    multiply(&y, &v, &r);
    subtract(&y, &y, &h);
    normalize_element(&y);
  }
  if (list->length > 1) {
    if (!invert_element(&z, &z)) return 0;
    square(&zz, &z);
    multiply(&x, &x, &zz);
    multiply(&zz, &zz, &z);
    multiply(&y, &y, &zz);
  }
  sum->x = x;
  sum->y = y;
  return 1;
}

/* The sum of a list, including equal and opposite points. Returns 0 for the point at infinity. */
static int sum_of_any(Point *sum, const PointList *list) {
  int is_infinity = 1;
  for (size_t i = 0; i < list->length; i++) {
    const Point *next = &list->points[i];
    Element difference;
    Addition addition = {.to = sum, .other = next};
    if (is_infinity) {
      *sum = *next;
      is_infinity = 0;
      continue;
    }
    if (add_each(&addition, 1)) continue;
    subtract(&difference, &next->y, &sum->y);
    /* Both points have the same x: they are equal or opposite. */
    if (!is_zero_element(&difference)) is_infinity = 1;
    else if (!double_point(sum)) return 0;
  }
  return !is_infinity;
}

/* The sum of the remaining points of a list. Returns 0 for the point at infinity. */
static int sum_of(Point *sum, const PointList *list) {
  return list->length > 0 && (sum_with_one_inversion(sum, list) || sum_of_any(sum, list));
}

#define SCALAR_BITS 256
#define TABLE_ROWS(width) (SCALAR_BITS / (width) + 1)

/* Row i has the multiples 1 to 2^(width - 1) of 2^(i width) P. Digits of a scalar are signed, so half of the multiples suffice. */
typedef struct {
  int width;
  int rows;
  Stored *points;
} Table;

/* One row during the computation of a table. */
typedef struct {
  Point one, last;
} Row;

static void store_all(const Table *table, int index, const Row *rows) {
  const int half = 1 << (table->width - 1);
  for (int row = 0; row < table->rows; row++) store(&table->points[row * half + index], &rows[row].last);
}

static int fill_table(const Table *table, const Point *point, Row *rows, Addition *additions) {
  const int half = 1 << (table->width - 1);
  Point base = *point;
  for (int row = 0; row < table->rows; row++) {
    rows[row].one = base;
    for (int j = 0; j < table->width; j++) {
      if (!double_point(&base)) return 0;
      if (j == 0) rows[row].last = base;
    }
    additions[row].to = &rows[row].last;
    additions[row].other = &rows[row].one;
    store(&table->points[row * half], &rows[row].one);
  }
  store_all(table, 1, rows);
  for (int index = 2; index < half; index++) {
    if (!add_each(additions, (size_t)table->rows)) return 0;
    store_all(table, index, rows);
  }
  return 1;
}

/* `width` is at least 2. Returns 0 if out of memory. */
static int make_table(Table *table, const Point *point, int width) {
  const size_t rows = TABLE_ROWS((size_t)width);
  Table result = {.width = width, .rows = (int)rows, .points = malloc((rows << (width - 1)) * sizeof *result.points)};
  Row *parts = malloc(rows * sizeof *parts);
  Addition *additions = malloc(rows * sizeof *additions);
  const int is_complete = result.points != NULL && parts != NULL && additions != NULL && fill_table(&result, point, parts, additions);
  free(parts);
  free(additions);
  if (is_complete) *table = result;
  else free(result.points);
  return is_complete;
}

static int bits_of(const Number *scalar, int offset, int count) {
  const int word = offset / 64, shift = offset % 64;
  if (word >= WORDS) return 0;
  uint64_t bits = scalar->words[word] >> shift;
  if (shift > 0 && word + 1 < WORDS) bits |= scalar->words[word + 1] << (64 - shift);
  return (int)(bits & (((uint64_t)1 << count) - 1));
}

/* Adds points of the table to a list; their sum is scalar P. Most points are not in the CPU's cache, so all are prefetched first. */
static void list_product(PointList *list, const Table *table, const Number *scalar) {
  const int width = table->width, half = 1 << (width - 1);
  int digits[MOST_POINTS], carry = 0;
  for (int row = 0; row < table->rows; row++) {
    int digit = bits_of(scalar, row * width, width) + carry;
    carry = digit > half;
    if (carry) digit -= 1 << width;
    digits[row] = digit;
    if (digit != 0) __builtin_prefetch(&table->points[row * half + abs(digit) - 1]);
  }
  for (int row = 0; row < table->rows; row++) {
    const int digit = digits[row];
    if (digit == 0) continue;
    Point *point = &list->points[list->length++];
    load(point, &table->points[row * half + abs(digit) - 1]);
    if (digit > 0) continue;
    const Element zero = {{0}};
    subtract(&point->y, &zero, &point->y);
    normalize_element(&point->y);
  }
}

#endif
