/*
 * The field of P-256 (SEC 2 section 2.4.2) in Montgomery form: an element x is stored as 2^256 x, below the prime. The prime is a sum of
 * few powers of two, so the reduction takes no multiplications.
 */
#ifndef COUNTERSIGN_P256_FIELD_H
#define COUNTERSIGN_P256_FIELD_H

#include "modular-inverse.h"

typedef unsigned __int128 Product;
typedef Number Element;

typedef struct {
  Element x, y;
} Point;

static const Number FIELD = {{0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001}};
/* 2^512 and 2^768 modulo the prime. They convert a number, or an inverse, to Montgomery form. */
static const Element SQUARED_RADIX = {{3, 0xfffffffbffffffff, 0xfffffffffffffffe, 0x00000004fffffffd}};
static const Element CUBED_RADIX = {{0xfffffffd0000000a, 0xffffffedfffffff7, 0x00000005fffffffc, 0x0000001800000001}};

/* Subtracts the modulus if the number plus `more` times 2^256 is not below it. The sum is below twice the modulus. */
static void reduce_once(Number *number, uint64_t more, const Number *modulus) {
  Number less;
  uint64_t borrow = 0;
  for (int i = 0; i < WORDS; i++) {
    const Product difference = (Product)number->words[i] - modulus->words[i] - borrow;
    less.words[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  const uint64_t kept = 0 - (uint64_t)(more < borrow);
  for (int i = 0; i < WORDS; i++) number->words[i] = (number->words[i] & kept) | (less.words[i] & ~kept);
}

/*
 * a b / 2^256. INVARIANT: before and after each step t is below twice the prime, and a times a word is below 2^64 - 1 times the prime.
 * So their sum is below 2^320 and has five words.
 */
static void multiply(Element *product, const Element *a, const Element *b) {
  uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
  for (int i = 0; i < WORDS; i++) {
    const uint64_t word = b->words[i];
    Product sum = (Product)a->words[0] * word + t0;
    t0 = (uint64_t)sum;
    sum = (Product)a->words[1] * word + t1 + (uint64_t)(sum >> 64);
    t1 = (uint64_t)sum;
    sum = (Product)a->words[2] * word + t2 + (uint64_t)(sum >> 64);
    t2 = (uint64_t)sum;
    sum = (Product)a->words[3] * word + t3 + (uint64_t)(sum >> 64);
    t3 = (uint64_t)sum;
    t4 += (uint64_t)(sum >> 64);
    /* The prime is -1 modulo 2^64, so adding t0 times the prime makes the last word 0. That is t0 (2^96 - 1) + t0 2^192 (2^64 - 2^32 + 1). */
    sum = (Product)t1 + (t0 << 32);
    t1 = (uint64_t)sum;
    sum = (Product)t2 + (t0 >> 32) + (uint64_t)(sum >> 64);
    t2 = (uint64_t)sum;
    sum = ((Product)t0 << 64) - ((Product)t0 << 32) + t0 + t3 + (uint64_t)(sum >> 64);
    t3 = (uint64_t)sum;
    sum = (Product)t4 + (uint64_t)(sum >> 64);
    t0 = t1, t1 = t2, t2 = t3, t3 = (uint64_t)sum, t4 = (uint64_t)(sum >> 64);
  }
  product->words[0] = t0, product->words[1] = t1, product->words[2] = t2, product->words[3] = t3;
  reduce_once(product, t4, &FIELD);
}

static void square(Element *result, const Element *a) { multiply(result, a, a); }

static void add(Element *sum, const Element *a, const Element *b) {
  Product carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (Product)a->words[i] + b->words[i];
    sum->words[i] = (uint64_t)carry;
    carry >>= 64;
  }
  reduce_once(sum, (uint64_t)carry, &FIELD);
}

static void subtract(Element *difference, const Element *a, const Element *b) {
  uint64_t borrow = 0, carry = 0;
  for (int i = 0; i < WORDS; i++) {
    const Product rest = (Product)a->words[i] - b->words[i] - borrow;
    difference->words[i] = (uint64_t)rest;
    borrow = (uint64_t)(rest >> 64) & 1;
  }
  for (int i = 0; i < WORDS; i++) {
    const Product sum = (Product)difference->words[i] + (FIELD.words[i] & (0 - borrow)) + carry;
    difference->words[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
}

/* Elements are always below the prime: nothing to do. */
static void normalize_element(Element *a) { (void)a; }

static int is_zero_element(const Element *a) { return (a->words[0] | a->words[1] | a->words[2] | a->words[3]) == 0; }

/* Returns 0 for zero. */
static int invert_element(Element *inverse, const Element *a) {
  if (!invert(inverse, a, &FIELD)) return 0;
  multiply(inverse, inverse, &CUBED_RADIX);
  return 1;
}

/* 3 x^2 - 3 */
static void tangent(Element *numerator, const Element *x) {
  static const Element one = {{1, 0xffffffff00000000, 0xffffffffffffffff, 0x00000000fffffffe}};
  Element less;
  square(&less, x);
  subtract(&less, &less, &one);
  add(numerator, &less, &less);
  add(numerator, numerator, &less);
}

typedef Point Stored;

static void store(Stored *stored, const Point *point) { *stored = *point; }

static void load(Point *point, const Stored *stored) { *point = *stored; }

static void to_element(Element *element, const Number *number) { multiply(element, number, &SQUARED_RADIX); }

static Number from_element(const Element *element) {
  static const Element one = {{1, 0, 0, 0}};
  Number number;
  multiply(&number, element, &one);
  return number;
}

#endif
