/*
 * Inversion modulo an odd number above 2^255, by division steps (Bernstein and Yang, Fast constant-time gcd computation and modular
 * inversion, TCHES 2019, section 8). The last 64 bits of two numbers determine 62 steps, which are one matrix, so the whole numbers are
 * updated once per 62 steps.
 *
 * SECURITY: variable time. Public values only. OpenSSL's inversion is many times slower for numbers of this length, and this version of
 * libsecp256k1 has no variable-time inversion.
 */
#ifndef COUNTERSIGN_MODULAR_INVERSE_H
#define COUNTERSIGN_MODULAR_INVERSE_H

#include <stdint.h>

#if !defined(__SIZEOF_INT128__)
#error "the addon needs a compiler with 128-bit integers; the service works without the addon"
#endif

#define WORDS 4
#define STEPS 62
#define LIMBS 5
#define LIMB_MASK (UINT64_MAX >> (64 - STEPS))

typedef __int128 Wide;

/* The least significant 64 bits first. */
typedef struct {
  uint64_t words[WORDS];
} Number;

/* The sum of limbs[i] 2^(62 i). All but the last limb are from 0 to 2^62 - 1; the last has the sign. */
typedef struct {
  int64_t limbs[LIMBS];
} Long;

/* 62 division steps: f becomes (u f + v g) / 2^62, and g becomes (q f + r g) / 2^62. |u| + |v| and |q| + |r| are at most 2^62. */
typedef struct {
  int64_t u, v, q, r;
} Matrix;

static Number number_from_bytes(const unsigned char *bytes) {
  Number number = {{0, 0, 0, 0}};
  for (int i = 0; i < 32; i++) number.words[WORDS - 1 - i / 8] = number.words[WORDS - 1 - i / 8] << 8 | bytes[i];
  return number;
}

static void number_to_bytes(unsigned char *bytes, const Number *number) {
  for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)(number->words[WORDS - 1 - i / 8] >> (56 - 8 * (i % 8)));
}

static Long to_long(const Number *number) {
  const uint64_t *w = number->words;
  const Long result = {{(int64_t)(w[0] & LIMB_MASK), (int64_t)((w[0] >> 62 | w[1] << 2) & LIMB_MASK),
                        (int64_t)((w[1] >> 60 | w[2] << 4) & LIMB_MASK), (int64_t)((w[2] >> 58 | w[3] << 6) & LIMB_MASK),
                        (int64_t)(w[3] >> 56)}};
  return result;
}

/* The number is from 0 to 2^256 - 1. */
static Number to_number(const Long *number) {
  uint64_t l[LIMBS];
  for (int i = 0; i < LIMBS; i++) l[i] = (uint64_t)number->limbs[i];
  const Number result = {{l[0] | l[1] << 62, l[1] >> 2 | l[2] << 60, l[2] >> 4 | l[3] << 58, l[3] >> 6 | l[4] << 56}};
  return result;
}

static int is_zero(const Long *a) { return (a->limbs[0] | a->limbs[1] | a->limbs[2] | a->limbs[3] | a->limbs[4]) == 0; }

static int is_negative(const Long *a) { return a->limbs[LIMBS - 1] < 0; }

/* a = sign a + factor b; sign and factor are 1, 0 or -1. */
static void combine(Long *a, int sign, const Long *b, int factor) {
  int64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    carry += sign * a->limbs[i] + factor * b->limbs[i];
    if (i == LIMBS - 1) a->limbs[i] = carry;
    else a->limbs[i] = carry & (int64_t)LIMB_MASK;
    carry >>= STEPS;
  }
}

/* 62 division steps on the last bits of g and of f, which is odd. Returns the new delta. */
static int64_t division_steps(Matrix *matrix, int64_t delta, uint64_t f, uint64_t g) {
  /* Unsigned, because negative numbers cannot be shifted in C. */
  uint64_t u = 1, v = 0, q = 0, r = 1, swapped;
  int left = STEPS;
  for (;;) {
    /* Steps with an even g halve g. The matrix doubles f instead. */
    const int zeros = __builtin_ctzll(g | UINT64_MAX << left);
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    delta += zeros;
    left -= zeros;
    if (left == 0) break;
    if (delta > 0) {
      delta = -delta;
      swapped = f, f = g, g = 0 - swapped;
      swapped = u, u = q, q = 0 - swapped;
      swapped = v, v = r, r = 0 - swapped;
    }
    /* Steps up to delta = 0 do not swap: each adds f if the last bit of g is 1. Together they add a multiple of f. */
    int bits = 1 - delta < left ? (int)(1 - delta) : left;
    if (bits > 6) bits = 6;
    /* f (2 - f^2) is 1 / f modulo 2^6, because f is its own inverse modulo 2^3 (Newton). */
    const uint64_t multiple = g * f * (f * f - 2) & (((uint64_t)1 << bits) - 1);
    g += multiple * f;
    q += multiple * u;
    r += multiple * v;
  }
  matrix->u = (int64_t)u, matrix->v = (int64_t)v, matrix->q = (int64_t)q, matrix->r = (int64_t)r;
  return delta;
}

/* Applies the matrix to f and g. Their last 62 bits become 0 and are dropped. */
static void apply(const Matrix *t, Long *f, Long *g) {
  Wide a = (Wide)t->u * f->limbs[0] + (Wide)t->v * g->limbs[0], b = (Wide)t->q * f->limbs[0] + (Wide)t->r * g->limbs[0];
  for (int i = 1; i < LIMBS; i++) {
    a = (a >> STEPS) + (Wide)t->u * f->limbs[i] + (Wide)t->v * g->limbs[i];
    b = (b >> STEPS) + (Wide)t->q * f->limbs[i] + (Wide)t->r * g->limbs[i];
    f->limbs[i - 1] = (int64_t)((uint64_t)a & LIMB_MASK);
    g->limbs[i - 1] = (int64_t)((uint64_t)b & LIMB_MASK);
  }
  f->limbs[LIMBS - 1] = (int64_t)(a >> STEPS);
  g->limbs[LIMBS - 1] = (int64_t)(b >> STEPS);
}

/*
 * Applies the matrix to d and e modulo the modulus. First adds the multiple of the modulus that makes the last 62 bits 0.
 * INVARIANT: d and e are above -2 and below 1 times the modulus. The modulus is added once to negative ones, so their sum with the
 * matrix is within 2^62 times the modulus, and the subtracted multiple is smaller.
 */
static void apply_modular(const Matrix *t, Long *d, Long *e, const Long *modulus, uint64_t minus_inverse) {
  int64_t x = (is_negative(d) ? t->u : 0) + (is_negative(e) ? t->v : 0);
  int64_t y = (is_negative(d) ? t->q : 0) + (is_negative(e) ? t->r : 0);
  Wide a = (Wide)t->u * d->limbs[0] + (Wide)t->v * e->limbs[0], b = (Wide)t->q * d->limbs[0] + (Wide)t->r * e->limbs[0];
  x -= (int64_t)(((uint64_t)x - (uint64_t)a * minus_inverse) & LIMB_MASK);
  y -= (int64_t)(((uint64_t)y - (uint64_t)b * minus_inverse) & LIMB_MASK);
  a += (Wide)modulus->limbs[0] * x;
  b += (Wide)modulus->limbs[0] * y;
  for (int i = 1; i < LIMBS; i++) {
    a = (a >> STEPS) + (Wide)t->u * d->limbs[i] + (Wide)t->v * e->limbs[i] + (Wide)modulus->limbs[i] * x;
    b = (b >> STEPS) + (Wide)t->q * d->limbs[i] + (Wide)t->r * e->limbs[i] + (Wide)modulus->limbs[i] * y;
    d->limbs[i - 1] = (int64_t)((uint64_t)a & LIMB_MASK);
    e->limbs[i - 1] = (int64_t)((uint64_t)b & LIMB_MASK);
  }
  d->limbs[LIMBS - 1] = (int64_t)(a >> STEPS);
  e->limbs[LIMBS - 1] = (int64_t)(b >> STEPS);
}

/* -1 / odd modulo 2^64. Each step doubles the number of correct bits (Newton); an odd number is its own inverse in three bits. */
static uint64_t minus_inverse_of(uint64_t odd) {
  uint64_t inverse = odd;
  for (int right = 3; right < 64; right *= 2) inverse *= 2 - odd * inverse;
  return 0 - inverse;
}

/*
 * The inverse of a number from 1 to modulus - 1. Returns 0 for any other number, and if there is no inverse.
 * INVARIANT of the loop: f = value d and g = value e modulo the modulus, and no step changes the greatest common divisor of f and g.
 * So when g is 0, f is that divisor or its negative.
 */
static int invert(Number *inverse, const Number *value, const Number *modulus) {
  const Long whole = to_long(modulus), one = {{1, 0, 0, 0, 0}};
  Long f = whole, g = to_long(value), d = {{0, 0, 0, 0, 0}}, e = one, rest = g;
  combine(&rest, 1, &whole, -1);
  if (is_zero(&g) || !is_negative(&rest)) return 0;
  const uint64_t minus_inverse = minus_inverse_of(modulus->words[0]);
  int64_t delta = 1;
  do {
    Matrix matrix;
    delta = division_steps(&matrix, delta, (uint64_t)f.limbs[0] | (uint64_t)f.limbs[1] << STEPS,
                           (uint64_t)g.limbs[0] | (uint64_t)g.limbs[1] << STEPS);
    apply_modular(&matrix, &d, &e, &whole, minus_inverse);
    apply(&matrix, &f, &g);
  } while (!is_zero(&g));
  if (is_negative(&f)) {
    combine(&f, -1, &f, 0);
    combine(&d, -1, &d, 0);
  }
  combine(&f, 1, &one, -1);
  if (!is_zero(&f)) return 0;
  while (is_negative(&d)) combine(&d, 1, &whole, 1);
  combine(&d, 1, &whole, -1);
  if (is_negative(&d)) combine(&d, 1, &whole, 1);
  *inverse = to_number(&d);
  return 1;
}

#endif
