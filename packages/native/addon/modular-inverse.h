/*
 * Inversion modulo an odd prime above 2^255, by Kaliski's algorithm (The Montgomery Inverse and Its Applications, IEEE Transactions on
 * Computers 44, 1995): a binary extended Euclidean algorithm that gives the inverse times a power of 2, which is then divided off.
 *
 * SECURITY: it takes variable time, so it is for public values alone: parts of signatures that are checked, and points that follow from
 * them. OpenSSL's inversion takes several times as long for such short numbers, and libsecp256k1 of this age has none in variable time.
 */
#ifndef COUNTERSIGN_MODULAR_INVERSE_H
#define COUNTERSIGN_MODULAR_INVERSE_H

#include <stdint.h>

#define LIMBS 4

/* The least significant 64 bits first. */
typedef struct {
  uint64_t limbs[LIMBS];
} Number;

static Number number_from_bytes(const unsigned char *bytes) {
  Number number = {{0, 0, 0, 0}};
  for (int i = 0; i < 32; i++) number.limbs[LIMBS - 1 - i / 8] = number.limbs[LIMBS - 1 - i / 8] << 8 | bytes[i];
  return number;
}

static void number_to_bytes(unsigned char *bytes, const Number *number) {
  for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)(number->limbs[LIMBS - 1 - i / 8] >> (56 - 8 * (i % 8)));
}

static int number_is(const Number *number, uint64_t small) {
  return number->limbs[0] == small && (number->limbs[1] | number->limbs[2] | number->limbs[3]) == 0;
}

static int number_is_below(const Number *a, const Number *b) {
  for (int i = LIMBS - 1; i > 0; i--)
    if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i];
  return a->limbs[0] < b->limbs[0];
}

/* a = a + b. INVARIANT of the callers: there is no carry. */
static void number_add(Number *a, const Number *b) {
  uint64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    const uint64_t sum = a->limbs[i] + b->limbs[i];
    const uint64_t whole = sum + carry;
    carry = (uint64_t)(sum < a->limbs[i]) | (uint64_t)(whole < sum);
    a->limbs[i] = whole;
  }
}

/* a = a - b. a is not below b. */
static void number_subtract(Number *a, const Number *b) {
  uint64_t borrow = 0;
  for (int i = 0; i < LIMBS; i++) {
    const uint64_t difference = a->limbs[i] - b->limbs[i];
    const uint64_t whole = difference - borrow;
    borrow = (uint64_t)(a->limbs[i] < b->limbs[i]) | (uint64_t)(difference < borrow);
    a->limbs[i] = whole;
  }
}

/* The bits that are 0 at the end of a number that is not 0, at most 63 of them. */
static unsigned trailing_zeros(const Number *a) {
  const uint64_t low = a->limbs[0];
  if (low == 0) return 63;
#if defined(__GNUC__)
  return (unsigned)__builtin_ctzll(low);
#else
  unsigned zeros = 0;
  while ((low >> zeros & 1) == 0) zeros++;
  return zeros;
#endif
}

/* `bits` is from 1 to 63. */
static void shift_right(Number *a, unsigned bits) {
  for (int i = 0; i < LIMBS - 1; i++) a->limbs[i] = a->limbs[i] >> bits | a->limbs[i + 1] << (64 - bits);
  a->limbs[LIMBS - 1] >>= bits;
}

/* The same. INVARIANT of the callers: no bit is lost. */
static void shift_left(Number *a, unsigned bits) {
  for (int i = LIMBS - 1; i > 0; i--) a->limbs[i] = a->limbs[i] << bits | a->limbs[i - 1] >> (64 - bits);
  a->limbs[0] <<= bits;
}

/* The low and the high 64 bits of a b + c + d, which has at most 128. */
static uint64_t multiply_add(uint64_t *high, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
#if defined(__SIZEOF_INT128__)
  const unsigned __int128 product = (unsigned __int128)a * b + c + d;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
#else
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = a0 * b1 + (middle & 0xffffffff);
  uint64_t low = a * b;
  *high = a1 * b1 + (middle >> 32) + (other >> 32);
  low += c;
  *high += low < c;
  low += d;
  *high += low < d;
  return low;
#endif
}

/* a = a / 2^bits modulo the modulus: adds the multiple of the modulus that makes the last bits 0. `bits` is from 1 to 63, a below the modulus. */
static void divide_off(Number *a, unsigned bits, const Number *modulus, uint64_t minus_inverse) {
  const uint64_t factor = a->limbs[0] * minus_inverse & (((uint64_t)1 << bits) - 1);
  uint64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) a->limbs[i] = multiply_add(&carry, factor, modulus->limbs[i], a->limbs[i], carry);
  shift_right(a, bits);
  a->limbs[LIMBS - 1] |= carry << (64 - bits);
}

/* -1 / odd modulo 2^64. Each step doubles the bits that are right (Newton); an odd number is its own inverse in three bits. */
static uint64_t minus_inverse_of(uint64_t odd) {
  uint64_t inverse = odd;
  for (int right = 3; right < 64; right *= 2) inverse *= 2 - odd * inverse;
  return 0 - inverse;
}

/*
 * The inverse of a number from 1 to modulus - 1. Gives 0 for any other number.
 * INVARIANT of the loop: u s + v r = modulus, value r = -u 2^k and value s = v 2^k modulo the modulus. So r and s are never above the
 * modulus, and where v is 1, s is the inverse times 2^k.
 */
static int invert(Number *inverse, const Number *value, const Number *modulus) {
  Number u = *modulus, v = *value, r = {{0, 0, 0, 0}}, s = {{1, 0, 0, 0}};
  unsigned k = 0;
  if (number_is(&v, 0) || !number_is_below(&v, modulus)) return 0;
  while (!number_is(&v, 1)) {
    unsigned zeros;
    if ((v.limbs[0] & 1) == 0) {
      zeros = trailing_zeros(&v);
      shift_right(&v, zeros);
      shift_left(&r, zeros);
    } else if ((u.limbs[0] & 1) == 0) {
      zeros = trailing_zeros(&u);
      shift_right(&u, zeros);
      shift_left(&s, zeros);
    } else if (number_is_below(&v, &u)) {
      number_subtract(&u, &v);
      number_add(&r, &s);
      continue;
    } else {
      number_subtract(&v, &u);
      number_add(&s, &r);
      /* They were equal and not 1: a divisor in common with the modulus, which is no prime then. */
      if (number_is(&v, 0)) return 0;
      continue;
    }
    k += zeros;
  }
  const uint64_t minus_inverse = minus_inverse_of(modulus->limbs[0]);
  for (; k > 63; k -= 63) divide_off(&s, 63, modulus, minus_inverse);
  if (k > 0) divide_off(&s, k, modulus, minus_inverse);
  *inverse = s;
  return 1;
}

#endif
