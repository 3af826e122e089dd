/*
 * k G for a secret k. The scalar is written in 43 digits of base 64 that are odd and have a sign, so that none is zero and half of the
 * multiples suffice: 43 additions, where the library of 2019 needs 64. Later releases of the library do the same.
 *
 * SECURITY: takes the same time for every k, and touches the same memory: all multiples of a row are read, and the one that is needed is
 * kept by the library's conditional moves. The library's blinding of the scalar and of the first point is in use as it is there.
 */
#ifndef COUNTERSIGN_SECRET_PRODUCT_H
#define COUNTERSIGN_SECRET_PRODUCT_H

#include "affine.h"

#define DIGIT_BITS 6
#define DIGIT_MULTIPLES (1 << (DIGIT_BITS - 1))

typedef struct {
  Table odd; /* of G / 2 */
  secp256k1_scalar shift; /* (64^43 - 1) / 2 */
} SecretProducts;

/* Gives 0 where there is not enough memory. */
static int prepare_secret_products(SecretProducts *products) {
  secp256k1_scalar half, power, minus_one;
  secp256k1_gej product;
  Point halved;
  secp256k1_scalar_set_int(&half, 2);
  secp256k1_scalar_inverse_var(&half, &half);
  secp256k1_ecmult_const(&product, &secp256k1_ge_const_g, &half, SCALAR_BITS);
  if (!to_point(&halved, &product) || !make_table(&products->odd, &halved, DIGIT_BITS, 2)) return 0;
  secp256k1_scalar_set_int(&power, 1);
  secp256k1_scalar_negate(&minus_one, &power);
  for (int i = 0; i < products->odd.rows * DIGIT_BITS; i++) secp256k1_scalar_add(&power, &power, &power);
  secp256k1_scalar_add(&power, &power, &minus_one);
  secp256k1_scalar_mul(&products->shift, &power, &half);
  return 1;
}

/*
 * The digits d of v = k + (64^43 - 1) / 2 are from 0 to 63, and 2 k is the sum of (2 d - 63) 64^i. So the table is one of G / 2, and the
 * scalar needs no multiplication, which compilers make branches of.
 */
static void multiply_generator(const SecretProducts *products, const secp256k1_ecmult_gen_context *blinding, secp256k1_gej *product,
                               const secp256k1_scalar *k) {
  secp256k1_scalar v;
  secp256k1_ge_storage kept;
  secp256k1_ge point;
  secp256k1_fe negative;
  secp256k1_scalar_add(&v, k, &blinding->blind);
  secp256k1_scalar_add(&v, &v, &products->shift);
  *product = blinding->initial;
  memset(&kept, 0, sizeof kept);
  for (int row = 0; row < products->odd.rows; row++) {
    const secp256k1_ge_storage *multiples = products->odd.points + (size_t)row * DIGIT_MULTIPLES;
    const unsigned offset = (unsigned)row * DIGIT_BITS, left = SCALAR_BITS - offset;
    /* "var" is for the offset, which is public. */
    const unsigned digit = secp256k1_scalar_get_bits_var(&v, offset, left < DIGIT_BITS ? left : DIGIT_BITS);
    const unsigned is_negative = (digit >> (DIGIT_BITS - 1)) ^ 1;
    const unsigned index = (digit ^ (0 - is_negative)) & (DIGIT_MULTIPLES - 1);
    for (unsigned j = 0; j < DIGIT_MULTIPLES; j++) secp256k1_ge_storage_cmov(&kept, &multiples[j], j == index);
    secp256k1_ge_from_storage(&point, &kept);
    secp256k1_fe_negate(&negative, &point.y, 1);
    secp256k1_fe_cmov(&point.y, &negative, (int)is_negative);
    secp256k1_gej_add_ge(product, product, &point);
  }
  OPENSSL_cleanse(&v, sizeof v);
  OPENSSL_cleanse(&kept, sizeof kept);
  OPENSSL_cleanse(&point, sizeof point);
  OPENSSL_cleanse(&negative, sizeof negative);
}

#endif
