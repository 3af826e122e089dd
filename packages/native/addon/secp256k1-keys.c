/*
 * Signs with libsecp256k1, whose computations with secrets take constant time, and checks signatures of a known key by the verification
 * equation of SEC 1 section 4.1.4, with tables where the key is used often.
 *
 * The library is compiled into this file: the tables use its arithmetic, which it does not export.
 */
#include "secp256k1.c"

#include "arguments.h"
#include "modular-inverse.h"
#include "secp256k1-keys.h"
#include "tables.h"

#define DIGEST_BYTES 32
#define KEY_BYTES 33
/* r, s and the recovery bit */
#define SIGNATURE_BYTES 65
/* 26 rows of 512 points: 850 KB, once, when the first key gets a table */
#define GENERATOR_WIDTH 10
/* 37 rows of 64 points: 150 KB for each key */
#define KEY_WIDTH 7
/* So many signatures share their inversions. */
#define CHUNK 16

/* The order of the group and the prime of the field (SEC 2 section 2.4.1). */
static const Number ORDER = {{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe, 0xffffffffffffffff}};
static const Number FIELD = {{0xfffffffefffffc2f, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}};

struct Secp256k1State {
  secp256k1_context *context;
  Table generator; /* without points until a key has a table */
};

typedef struct {
  const Secp256k1State *state;
  secp256k1_ge key;
  Table table; /* without points for a key that is not used often */
} Checker;

typedef struct {
  secp256k1_scalar r, s, m;
} Equation;

Secp256k1State *secp256k1_state_create(void) {
  Secp256k1State *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  if (state->context != NULL) return state;
  free(state);
  return NULL;
}

void secp256k1_state_destroy(Secp256k1State *state) {
  if (state == NULL) return;
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
  for (size_t i = 0; i < count; i++, out += SIGNATURE_BYTES) {
    secp256k1_ecdsa_recoverable_signature signature;
    int recovery = 0;
    /* RFC 6979 with a low s: the defaults of the library. */
    if (!secp256k1_ecdsa_sign_recoverable(context, &signature, digests.data + i * DIGEST_BYTES, key.data, NULL, NULL) ||
        !secp256k1_ecdsa_recoverable_signature_serialize_compact(context, out, &recovery, &signature))
      return to_boolean(env, 0);
    out[SIGNATURE_BYTES - 1] = (unsigned char)recovery;
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
  Number result;
  secp256k1_scalar_get_b32(bytes, scalar);
  const Number value = number_from_bytes(bytes);
  if (!invert(&result, &value, &ORDER)) return 0;
  number_to_bytes(bytes, &result);
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

/* R = (m / s) G + (r / s) Q */
static void sum_of(secp256k1_gej *sum, const Checker *checker, const Equation *equation) {
  secp256k1_scalar u1, u2;
  secp256k1_scalar_mul(&u1, &equation->m, &equation->s);
  secp256k1_scalar_mul(&u2, &equation->r, &equation->s);
  if (checker->table.points == NULL) {
    secp256k1_gej key;
    secp256k1_gej_set_ge(&key, &checker->key);
    secp256k1_ecmult(&checker->state->context->ecmult_ctx, sum, &key, &u2, &u1);
    return;
  }
  secp256k1_gej_set_infinity(sum);
  add_product(sum, &checker->state->generator, &u1);
  add_product(sum, &checker->table, &u2);
}

/* The points of sums that are not at infinity, with one inversion for all of them. */
static int to_affine(secp256k1_ge *points, secp256k1_gej *sums, size_t count) {
  unsigned char bytes[32];
  secp256k1_fe products[CHUNK], inverse, own;
  Number result;
  products[0] = sums[0].z;
  for (size_t i = 1; i < count; i++) secp256k1_fe_mul(&products[i], &products[i - 1], &sums[i].z);
  secp256k1_fe_normalize_var(&products[count - 1]);
  secp256k1_fe_get_b32(bytes, &products[count - 1]);
  const Number value = number_from_bytes(bytes);
  if (!invert(&result, &value, &FIELD)) return 0;
  number_to_bytes(bytes, &result);
  if (!secp256k1_fe_set_b32(&inverse, bytes)) return 0;
  for (size_t i = count - 1; i > 0; i--) {
    secp256k1_fe_mul(&own, &inverse, &products[i - 1]);
    secp256k1_fe_mul(&inverse, &inverse, &sums[i].z);
    secp256k1_ge_set_gej_zinv(&points[i], &sums[i], &own);
  }
  secp256k1_ge_set_gej_zinv(&points[0], &sums[0], &inverse);
  return 1;
}

/* Whether the whole of R is what the signature says: its x is r itself, and the recovery bit is the parity of its y. */
static int leads_to(secp256k1_ge *point, const unsigned char *signature) {
  unsigned char x[32];
  secp256k1_fe_normalize_var(&point->x);
  secp256k1_fe_normalize_var(&point->y);
  secp256k1_fe_get_b32(x, &point->x);
  return memcmp(x, signature, sizeof x) == 0 && secp256k1_fe_is_odd(&point->y) == signature[64];
}

/* `count` is from 1 to CHUNK. */
static int check_chunk(const Checker *checker, const unsigned char *signatures, const unsigned char *digests, size_t count) {
  Equation equations[CHUNK];
  secp256k1_gej sums[CHUNK];
  secp256k1_ge points[CHUNK];
  for (size_t i = 0; i < count; i++)
    if (!read_equation(&equations[i], signatures + i * SIGNATURE_BYTES, digests + i * DIGEST_BYTES)) return 0;
  if (!invert_all(equations, count)) return 0;
  for (size_t i = 0; i < count; i++) {
    sum_of(&sums[i], checker, &equations[i]);
    if (secp256k1_gej_is_infinity(&sums[i])) return 0;
  }
  if (!to_affine(points, sums, count)) return 0;
  for (size_t i = 0; i < count; i++)
    if (!leads_to(&points[i], signatures + i * SIGNATURE_BYTES)) return 0;
  return 1;
}

static napi_value check(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *checker;
  Bytes signatures, digests;
  if (!read_arguments(env, info, 2, arguments, &checker) || !read_bytes(env, arguments[1], &digests)) return NULL;
  if (digests.length == 0 || digests.length % DIGEST_BYTES != 0) return refuse(env, "digests have 32 bytes each");
  const size_t count = digests.length / DIGEST_BYTES;
  if (!read_exactly(env, arguments[0], count * SIGNATURE_BYTES, &signatures)) return NULL;
  for (size_t i = 0; i < count; i += CHUNK) {
    const size_t size = count - i < CHUNK ? count - i : CHUNK;
    if (!check_chunk(checker, signatures.data + i * SIGNATURE_BYTES, digests.data + i * DIGEST_BYTES, size))
      return to_boolean(env, 0);
  }
  return to_boolean(env, 1);
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
