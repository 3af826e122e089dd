/*
 * Signs with libsecp256k1, whose computations with secrets take constant time, and checks signatures of a known key by the verification
 * equation of SEC 1 section 4.1.4, with tables where the key is used often.
 *
 * The library is compiled into this file: the tables use its arithmetic, which it does not export.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "secp256k1.c"

#include "arguments.h"
#include "secp256k1-keys.h"
#include "signing.h"
#include "tables.h"

#define DIGEST_BYTES 32
#define KEY_BYTES 33
/* r, s and the recovery bit */
#define SIGNATURE_BYTES 65
/* 26 rows of 512 points: 850 KB, once, when the first key gets a table */
#define GENERATOR_WIDTH 10
/* 37 rows of 64 points: 150 KB for each key */
#define KEY_WIDTH 7
/* So many signatures are checked together. */
#define CHUNK 64
/* Fewer are checked one by one: then the sum costs more than it spares. */
#define FEWEST_TOGETHER 6
/* A wrong signature among others passes with a probability of 2^-64. */
#define COEFFICIENT_BYTES 8

struct Secp256k1State {
  secp256k1_context *context;
  Table generator; /* without points until a key has a table */
  secp256k1_scratch *scratch; /* room for the sum of a chunk */
};

typedef struct {
  const Secp256k1State *state;
  secp256k1_ge key;
  Table table; /* without points for a key that is not used often */
} Checker;

typedef struct {
  secp256k1_scalar r, s, m;
} Equation;

/* What the sum of so many products needs, with the padding of its parts. */
static size_t scratch_size(size_t points) { return secp256k1_strauss_scratch_size(points) + STRAUSS_SCRATCH_OBJECTS * 16; }

Secp256k1State *secp256k1_state_create(void) {
  Secp256k1State *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  if (state->context != NULL)
    state->scratch = secp256k1_scratch_create(&state->context->error_callback, scratch_size(CHUNK));
  if (state->scratch != NULL) return state;
  secp256k1_state_destroy(state);
  return NULL;
}

void secp256k1_state_destroy(Secp256k1State *state) {
  if (state == NULL) return;
  if (state->scratch != NULL) secp256k1_scratch_destroy(&state->context->error_callback, state->scratch);
  secp256k1_context_destroy(state->context);
  free(state->generator.points);
  free(state);
}

napi_value secp256k1_randomize(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  void *state;
  Bytes seed;
  if (!read_arguments(env, info, 1, arguments, &state) || !read_exactly(env, arguments[0], 32, &seed)) return NULL;
  return to_boolean(env, secp256k1_context_randomize(((Secp256k1State *)state)->context, seed.data));
}

/* RFC 6979 with a low s: the defaults of the library. */
static int sign_one(const secp256k1_context *context, const unsigned char *digest, const unsigned char *key, unsigned char *out) {
  secp256k1_ecdsa_recoverable_signature signature;
  int recovery = 0;
  if (!secp256k1_ecdsa_sign_recoverable(context, &signature, digest, key, NULL, NULL) ||
      !secp256k1_ecdsa_recoverable_signature_serialize_compact(context, out, &recovery, &signature))
    return 0;
  out[SIGNATURE_BYTES - 1] = (unsigned char)recovery;
  return 1;
}

napi_value secp256k1_sign(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  void *data;
  Bytes digests, key;
  if (!read_arguments(env, info, 3, arguments, &data) || !read_bytes(env, arguments[0], &digests) ||
      !read_exactly(env, arguments[1], 32, &key))
    return NULL;
  if (digests.length == 0 || digests.length % DIGEST_BYTES != 0) return refuse(env, "digests have 32 bytes each");
  const size_t count = digests.length / DIGEST_BYTES;
  unsigned char *out = read_output(env, arguments[2], count * SIGNATURE_BYTES);
  if (out == NULL) return NULL;
  const secp256k1_context *context = ((Secp256k1State *)data)->context;
  for (size_t i = 0, size; i < count; i += size) {
    const unsigned char *some = digests.data + i * DIGEST_BYTES;
    unsigned char *to = out + i * SIGNATURE_BYTES;
    size = count - i < SIGNED_TOGETHER ? count - i : SIGNED_TOGETHER;
    if (sign_together(&context->ecmult_gen_ctx, some, key.data, to, size)) continue;
    for (size_t j = 0; j < size; j++)
      if (!sign_one(context, some + j * DIGEST_BYTES, key.data, to + j * SIGNATURE_BYTES)) return to_boolean(env, 0);
  }
  return to_boolean(env, 1);
}

/* Gives 0 for r or s outside [1, n - 1], for a high s, and for a recovery bit that the wire has no room for. */
static int read_equation(Equation *equation, const unsigned char *signature, const unsigned char *digest) {
  int overflow = 0;
  secp256k1_scalar_set_b32(&equation->r, signature, &overflow);
  if (overflow || secp256k1_scalar_is_zero(&equation->r)) return 0;
  secp256k1_scalar_set_b32(&equation->s, signature + 32, &overflow);
  if (overflow || secp256k1_scalar_is_zero(&equation->s) || secp256k1_scalar_is_high(&equation->s)) return 0;
  secp256k1_scalar_set_b32(&equation->m, digest, NULL);
  return signature[64] <= 1;
}

static int invert_scalar(secp256k1_scalar *inverse, const secp256k1_scalar *scalar) {
  unsigned char bytes[32];
  secp256k1_scalar_get_b32(bytes, scalar);
  if (!invert_bytes(bytes, &ORDER)) return 0;
  secp256k1_scalar_set_b32(inverse, bytes, NULL);
  return 1;
}

/* Replaces every s by its inverse, with one inversion for all of them. None is zero. */
static int invert_all(Equation *equations, size_t count) {
  secp256k1_scalar products[CHUNK], inverse;
  products[0] = equations[0].s;
  for (size_t i = 1; i < count; i++) secp256k1_scalar_mul(&products[i], &products[i - 1], &equations[i].s);
  if (!invert_scalar(&inverse, &products[count - 1])) return 0;
  for (size_t i = count - 1; i > 0; i--) {
    secp256k1_scalar own;
    secp256k1_scalar_mul(&own, &inverse, &products[i - 1]);
    secp256k1_scalar_mul(&inverse, &inverse, &equations[i].s);
    equations[i].s = own;
  }
  equations[0].s = inverse;
  return 1;
}

/* The sum of g G and q Q. */
static void add_both(secp256k1_gej *sum, const Checker *checker, const secp256k1_scalar *g, const secp256k1_scalar *q) {
  if (checker->table.points == NULL) {
    secp256k1_gej key;
    secp256k1_gej_set_ge(&key, &checker->key);
    secp256k1_ecmult(&checker->state->context->ecmult_ctx, sum, &key, q, g);
    return;
  }
  secp256k1_gej_set_infinity(sum);
  add_product(sum, &checker->state->generator, g);
  add_product(sum, &checker->table, q);
}

/* The point of a sum that is not at infinity. */
static int to_affine(secp256k1_ge *point, const secp256k1_gej *sum) {
  unsigned char bytes[32];
  secp256k1_fe z = sum->z, inverse;
  secp256k1_fe_normalize_var(&z);
  secp256k1_fe_get_b32(bytes, &z);
  if (!invert_bytes(bytes, &FIELD) || !secp256k1_fe_set_b32(&inverse, bytes)) return 0;
  secp256k1_ge_set_gej_zinv(point, sum, &inverse);
  secp256k1_fe_normalize_var(&point->x);
  secp256k1_fe_normalize_var(&point->y);
  return 1;
}

/* Whether (m / s) G + (r / s) Q is what the signature says: its x is r itself, and the recovery bit is the parity of its y. */
static int check_one(const Checker *checker, const unsigned char *signature, const unsigned char *digest) {
  Equation equation;
  secp256k1_scalar g, q;
  secp256k1_gej sum;
  secp256k1_ge point;
  unsigned char x[32];
  if (!read_equation(&equation, signature, digest) || !invert_all(&equation, 1)) return 0;
  secp256k1_scalar_mul(&g, &equation.m, &equation.s);
  secp256k1_scalar_mul(&q, &equation.r, &equation.s);
  add_both(&sum, checker, &g, &q);
  if (secp256k1_gej_is_infinity(&sum) || !to_affine(&point, &sum)) return 0;
  secp256k1_fe_get_b32(x, &point.x);
  return memcmp(x, signature, sizeof x) == 0 && secp256k1_fe_is_odd(&point.y) == signature[64];
}

/* The point R that a signature speaks of. Gives 0 where the curve has no such point. */
static int read_point(secp256k1_ge *point, const unsigned char *signature) {
  secp256k1_fe x;
  return secp256k1_fe_set_b32(&x, signature) && secp256k1_ge_set_xo_var(point, &x, signature[64]);
}

/* Points with their coefficients, as the library asks for them. */
typedef struct {
  const secp256k1_ge *points;
  const secp256k1_scalar *coefficients;
} Products;

static int give_product(secp256k1_scalar *coefficient, secp256k1_ge *point, size_t index, void *data) {
  const Products *products = data;
  *coefficient = products->coefficients[index];
  *point = products->points[index];
  return 1;
}

/* Random coefficients that are not zero. */
static int draw_coefficients(secp256k1_scalar *coefficients, size_t count) {
  unsigned char random[CHUNK * COEFFICIENT_BYTES], bytes[32] = {0};
  if (RAND_bytes(random, (int)(count * COEFFICIENT_BYTES)) != 1) return 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(bytes + sizeof bytes - COEFFICIENT_BYTES, random + i * COEFFICIENT_BYTES, COEFFICIENT_BYTES);
    secp256k1_scalar_set_b32(&coefficients[i], bytes, NULL);
    if (secp256k1_scalar_is_zero(&coefficients[i])) return 0;
  }
  return 1;
}

/*
 * The sum of all equations, each times a random number: sum(c m / s) G + sum(c r / s) Q = sum(c R). The group has prime order, so if one
 * equation does not hold, at most one value of its coefficient makes the sum hold, and nobody knows the coefficients before.
 * `count` is from 1 to CHUNK.
 */
static int check_together(const Checker *checker, const unsigned char *signatures, const unsigned char *digests, size_t count) {
  const Secp256k1State *state = checker->state;
  Equation equations[CHUNK];
  secp256k1_ge points[CHUNK];
  secp256k1_scalar coefficients[CHUNK], g, q, part;
  secp256k1_gej sum, others;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *signature = signatures + i * SIGNATURE_BYTES;
    if (!read_equation(&equations[i], signature, digests + i * DIGEST_BYTES) || !read_point(&points[i], signature)) return 0;
  }
  if (!invert_all(equations, count) || !draw_coefficients(coefficients, count)) return 0;
  secp256k1_scalar_set_int(&g, 0);
  secp256k1_scalar_set_int(&q, 0);
  for (size_t i = 0; i < count; i++) {
    secp256k1_scalar_mul(&equations[i].s, &equations[i].s, &coefficients[i]);
    secp256k1_scalar_mul(&part, &equations[i].m, &equations[i].s);
    secp256k1_scalar_add(&g, &g, &part);
    secp256k1_scalar_mul(&part, &equations[i].r, &equations[i].s);
    secp256k1_scalar_add(&q, &q, &part);
  }
  Products products = {points, coefficients};
  if (!secp256k1_ecmult_strauss_batch_single(&state->context->error_callback, &state->context->ecmult_ctx, state->scratch, &others, NULL,
                                             give_product, &products, count))
    return 0;
  add_both(&sum, checker, &g, &q);
  secp256k1_gej_neg(&others, &others);
  secp256k1_gej_add_var(&sum, &sum, &others, NULL);
  return secp256k1_gej_is_infinity(&sum);
}

static napi_value check(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *checker;
  Bytes signatures, digests;
  if (!read_arguments(env, info, 2, arguments, &checker) || !read_bytes(env, arguments[1], &digests)) return NULL;
  if (digests.length == 0 || digests.length % DIGEST_BYTES != 0) return refuse(env, "digests have 32 bytes each");
  const size_t count = digests.length / DIGEST_BYTES;
  if (!read_exactly(env, arguments[0], count * SIGNATURE_BYTES, &signatures)) return NULL;
  int good = 1;
  for (size_t i = 0, size; good && i < count; i += size) {
    const unsigned char *some = signatures.data + i * SIGNATURE_BYTES, *of = digests.data + i * DIGEST_BYTES;
    size = count - i < CHUNK ? count - i : CHUNK;
    if (size >= FEWEST_TOGETHER) good = check_together(checker, some, of, size);
    else
      for (size_t j = 0; good && j < size; j++)
        good = check_one(checker, some + j * SIGNATURE_BYTES, of + j * DIGEST_BYTES);
  }
  return to_boolean(env, good);
}

/* The tables of the key and, the first time, of the generator. */
static int make_tables(Checker *checker, Secp256k1State *state) {
  const secp256k1_ge generator = secp256k1_ge_const_g;
  if (state->generator.points == NULL && !make_table(&state->generator, &generator, GENERATOR_WIDTH)) return 0;
  return make_table(&checker->table, &checker->key, KEY_WIDTH);
}

static void free_checker(napi_env env, void *data, void *hint) {
  Checker *checker = data;
  (void)env, (void)hint;
  free(checker->table.points);
  free(checker);
}

napi_value secp256k1_checker(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *state;
  Bytes key;
  bool with_table;
  if (!read_arguments(env, info, 2, arguments, &state) || !read_exactly(env, arguments[0], KEY_BYTES, &key)) return NULL;
  if (napi_get_value_bool(env, arguments[1], &with_table) != napi_ok) return refuse(env, "a boolean is needed");
  Checker *checker = calloc(1, sizeof *checker);
  if (checker == NULL) return refuse(env, "there is not enough memory");
  checker->state = state;
  const char *problem = NULL;
  /* On the curve, and not at infinity: the cofactor is 1, so that is all a public key has to be (SEC 1 section 3.2.2.1). */
  if (!secp256k1_eckey_pubkey_parse(&checker->key, key.data, key.length)) problem = "this is not a point of the curve";
  else if (with_table && !make_tables(checker, state)) problem = "there is not enough memory";
  if (problem != NULL) {
    free_checker(env, checker, NULL);
    return refuse(env, problem);
  }
  return to_function(env, check, checker, free_checker);
}
