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
#include "secp256k1-field.h"

/* So many signatures are checked together, each with the digits of two scalars. */
#define MOST_LISTS 16
#define MOST_POINTS 96
#include "affine.h"
#include "signing.h"

#define DIGEST_BYTES 32
#define KEY_BYTES 33
/* r, s and the recovery bit */
#define SIGNATURE_BYTES 65
/* 26 rows of 512 points: 850 KB, once, when the first key gets a table */
#define GENERATOR_WIDTH 10
/* 37 rows of 64 points: 150 KB for each key */
#define KEY_WIDTH 7
/* A key without a table gets a small one for a call with so many signatures: 65 rows of 8 points. */
#define BRIEF_WIDTH 4
#define WORTH_A_TABLE 12
_Static_assert(TABLE_ROWS(GENERATOR_WIDTH) + TABLE_ROWS(BRIEF_WIDTH) <= MOST_POINTS, "a list has room for all digits");

struct Secp256k1State {
  secp256k1_context *context;
  SecretProducts products;
  Table generator; /* without points until a key has a table */
  Sums sums; /* room for the checks of one call */
};

typedef struct {
  Secp256k1State *state;
  Point key;
  Table table; /* without points for a key that is not used often */
} Checker;

typedef struct {
  secp256k1_scalar r, s, m;
} Equation;

Secp256k1State *secp256k1_state_create(void) {
  Secp256k1State *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  if (state->context != NULL && prepare_secret_products(&state->products)) return state;
  secp256k1_state_destroy(state);
  return NULL;
}

void secp256k1_state_destroy(Secp256k1State *state) {
  if (state == NULL) return;
  secp256k1_context_destroy(state->context);
  free(state->generator.points);
  free(state->products.odd.points);
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

/* Signs as many together as there is room for. A function of its own, so that clear_stack() begins where its stack began. */
static __attribute__((noinline)) int sign_all(const Secp256k1State *state, const unsigned char *digests, const unsigned char *key,
                                              unsigned char *out, size_t count) {
  const secp256k1_context *context = state->context;
  for (size_t i = 0, size; i < count; i += size) {
    const unsigned char *some = digests + i * DIGEST_BYTES;
    unsigned char *to = out + i * SIGNATURE_BYTES;
    size = count - i < SIGNED_TOGETHER ? count - i : SIGNED_TOGETHER;
    if (sign_together(&state->products, &context->ecmult_gen_ctx, some, key, to, size)) continue;
    for (size_t j = 0; j < size; j++)
      if (!sign_one(context, some + j * DIGEST_BYTES, key, to + j * SIGNATURE_BYTES)) return 0;
  }
  return 1;
}

/*
 * SECURITY: clears the stack that sign_all() has used, which is 10 KB. The library leaves key, nonce and their products there, because
 * compilers drop the clearing of variables that are not read again. OPENSSL_cleanse() takes five times as long as memset().
 */
static __attribute__((noinline)) void clear_stack(void) {
  /* volatile: a call that the compiler does not know cannot be dropped. */
  static void *(*const volatile set)(void *, int, size_t) = memset;
  unsigned char used[16384];
  set(used, 0, sizeof used);
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
  const int made = sign_all(data, digests.data, key.data, out, count);
  clear_stack();
  return to_boolean(env, made);
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

/* Replaces every s by its inverse, with one inversion for all of them. None is zero. */
static int invert_all(Equation *equations, size_t count) {
  secp256k1_scalar products[MOST_LISTS], inverse;
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

static Number to_number_of(const secp256k1_scalar *scalar) {
  unsigned char bytes[32];
  secp256k1_scalar_get_b32(bytes, scalar);
  return number_from_bytes(bytes);
}

/* The list of points whose sum is g G + q Q. */
static void list_both(PointList *list, const Checker *checker, const secp256k1_scalar *g, const secp256k1_scalar *q) {
  list->length = 0;
  if (checker->table.points != NULL) {
    const Number of_generator = to_number_of(g), of_key = to_number_of(q);
    list_product(list, &checker->state->generator, &of_generator);
    list_product(list, &checker->table, &of_key);
    return;
  }
  secp256k1_ge key;
  secp256k1_gej product, sum;
  to_ge(&key, &checker->key);
  secp256k1_gej_set_ge(&product, &key);
  secp256k1_ecmult(&checker->state->context->ecmult_ctx, &sum, &product, q, g);
  list->length = to_point(&list->points[0], &sum) ? 1 : 0;
}

/*
 * Whether (m / s) G + (r / s) Q is what each signature says: its x is r itself, and the recovery bit is the parity of its y.
 * `count` is from 1 to MOST_LISTS.
 */
static int check_together(const Checker *checker, const unsigned char *signatures, const unsigned char *digests, size_t count) {
  Sums *sums = &checker->state->sums;
  Equation equations[MOST_LISTS];
  for (size_t i = 0; i < count; i++)
    if (!read_equation(&equations[i], signatures + i * SIGNATURE_BYTES, digests + i * DIGEST_BYTES)) return 0;
  if (!invert_all(equations, count)) return 0;
  sums->count = count;
  for (size_t i = 0; i < count; i++) {
    secp256k1_scalar g, q;
    secp256k1_scalar_mul(&g, &equations[i].m, &equations[i].s);
    secp256k1_scalar_mul(&q, &equations[i].r, &equations[i].s);
    list_both(&sums->lists[i], checker, &g, &q);
  }
  add_halves(sums);
  for (size_t i = 0; i < count; i++) {
    const unsigned char *signature = signatures + i * SIGNATURE_BYTES;
    Point point;
    unsigned char x[32];
    if (!sum_of(&point, &sums->lists[i])) return 0;
    secp256k1_fe_normalize_var(&point.x);
    secp256k1_fe_normalize_var(&point.y);
    secp256k1_fe_get_b32(x, &point.x);
    if (memcmp(x, signature, sizeof x) != 0 || secp256k1_fe_is_odd(&point.y) != signature[64]) return 0;
  }
  return 1;
}

/* The table of the key and, the first time, of the generator. */
static int make_tables(Checker *checker, int width) {
  const Point generator = {secp256k1_ge_const_g.x, secp256k1_ge_const_g.y};
  Table *shared = &checker->state->generator;
  if (shared->points == NULL && !make_table(shared, &generator, GENERATOR_WIDTH, 1)) return 0;
  return make_table(&checker->table, &checker->key, width, 1);
}

static napi_value check(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *checker;
  Bytes signatures, digests;
  if (!read_arguments(env, info, 2, arguments, &checker) || !read_bytes(env, arguments[1], &digests)) return NULL;
  if (digests.length == 0 || digests.length % DIGEST_BYTES != 0) return refuse(env, "digests have 32 bytes each");
  const size_t count = digests.length / DIGEST_BYTES;
  if (!read_exactly(env, arguments[0], count * SIGNATURE_BYTES, &signatures)) return NULL;
  Checker own = *(const Checker *)checker;
  const int is_brief = own.table.points == NULL && count >= WORTH_A_TABLE && make_tables(&own, BRIEF_WIDTH);
  int good = 1;
  for (size_t i = 0, size; good && i < count; i += size) {
    size = count - i < MOST_LISTS ? count - i : MOST_LISTS;
    good = check_together(&own, signatures.data + i * SIGNATURE_BYTES, digests.data + i * DIGEST_BYTES, size);
  }
  if (is_brief) free(own.table.points);
  return to_boolean(env, good);
}

static void free_checker(napi_env env, void *data, void *hint) {
  Checker *checker = data;
  (void)env, (void)hint;
  free(checker->table.points);
  free(checker);
}

static int read_key(Point *point, const Bytes *bytes) {
  secp256k1_ge ge;
  if (!secp256k1_eckey_pubkey_parse(&ge, bytes->data, bytes->length)) return 0;
  from_ge(point, &ge);
  return 1;
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
  if (!read_key(&checker->key, &key)) problem = "this is not a point of the curve";
  else if (with_table && !make_tables(checker, KEY_WIDTH)) problem = "there is not enough memory";
  if (problem != NULL) {
    free_checker(env, checker, NULL);
    return refuse(env, problem);
  }
  return to_function(env, check, checker, free_checker);
}
