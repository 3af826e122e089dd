/*
 * ECDSA verification on secp256k1 (SEC 1 section 4.1.4), with precomputed tables for frequently used keys.
 *
 * SECURITY: variable time. Public values only: digests, signatures, public keys.
 *
 * libsecp256k1 is compiled into this file, because it does not export its field and group arithmetic.
 */
#include "secp256k1.c"

#include "arguments.h"
#include "secp256k1-keys.h"
#include "secp256k1-field.h"

/* Signatures per batch, each with the digits of two scalars. */
#define MOST_LISTS 16
#define MOST_POINTS 96
#include "affine.h"

#define DIGEST_BYTES 32
#define KEY_BYTES 33
/* r, s and the recovery bit */
#define SIGNATURE_BYTES 65
/* 26 rows of 512 points: 850 KB, computed when the first key gets a table */
#define GENERATOR_WIDTH 10
/* 37 rows of 64 points: 150 KB per key */
#define KEY_WIDTH 7
/* A call with at least WORTH_A_TABLE signatures of a key without a table uses a temporary table of 65 rows of 8 points. */
#define TEMPORARY_WIDTH 4
#define WORTH_A_TABLE 12
_Static_assert(TABLE_ROWS(GENERATOR_WIDTH) + TABLE_ROWS(TEMPORARY_WIDTH) <= MOST_POINTS, "a list has room for all digits");

struct Secp256k1State {
  secp256k1_context *context;
  Table generator; /* empty until a key has a table */
  Sums sums; /* scratch space of one call */
};

typedef struct {
  Secp256k1State *state;
  Point key;
  Table table; /* empty for a key without a table */
} Checker;

typedef struct {
  secp256k1_scalar r, s, m;
} Equation;

Secp256k1State *secp256k1_state_create(void) {
  Secp256k1State *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->context = secp256k1_context_create(SECP256K1_CONTEXT_VERIFY);
  if (state->context != NULL) return state;
  secp256k1_state_destroy(state);
  return NULL;
}

void secp256k1_state_destroy(Secp256k1State *state) {
  if (state == NULL) return;
  secp256k1_context_destroy(state->context);
  free(state->generator.points);
  free(state);
}

/* Returns 0 if r or s is outside [1, n - 1], s is high, or the recovery id is above 1. */
static int read_equation(Equation *equation, const unsigned char *signature, const unsigned char *digest) {
  int overflow = 0;
  secp256k1_scalar_set_b32(&equation->r, signature, &overflow);
  if (overflow || secp256k1_scalar_is_zero(&equation->r)) return 0;
  secp256k1_scalar_set_b32(&equation->s, signature + 32, &overflow);
  if (overflow || secp256k1_scalar_is_zero(&equation->s) || secp256k1_scalar_is_high(&equation->s)) return 0;
  secp256k1_scalar_set_b32(&equation->m, digest, NULL);
  return signature[64] <= 1;
}

/* Replaces every s by its inverse, with one inversion in total. No s is zero. */
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

/* Lists points whose sum is g G + q Q. */
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
 * Whether each signature has R = (m / s) G + (r / s) Q: the x of R equals r, and the recovery bit is the parity of its y.
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

/* Computes the table of the key and, on first use, of the generator. */
static int make_tables(Checker *checker, int width) {
  const Point generator = {secp256k1_ge_const_g.x, secp256k1_ge_const_g.y};
  Table *shared = &checker->state->generator;
  if (shared->points == NULL && !make_table(shared, &generator, GENERATOR_WIDTH)) return 0;
  return make_table(&checker->table, &checker->key, width);
}

static napi_value check(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *checker;
  Bytes signatures, digests;
  if (!read_arguments(env, info, 2, arguments, &checker) || !read_bytes(env, arguments[1], &digests)) return NULL;
  if (digests.length == 0 || digests.length % DIGEST_BYTES != 0) return throw_type_error(env, "digests must have 32 bytes each");
  const size_t count = digests.length / DIGEST_BYTES;
  if (!read_exactly(env, arguments[0], count * SIGNATURE_BYTES, &signatures)) return NULL;
  Checker own = *(const Checker *)checker;
  const int is_temporary = own.table.points == NULL && count >= WORTH_A_TABLE && make_tables(&own, TEMPORARY_WIDTH);
  int good = 1;
  for (size_t i = 0, size; good && i < count; i += size) {
    size = count - i < MOST_LISTS ? count - i : MOST_LISTS;
    good = check_together(&own, signatures.data + i * SIGNATURE_BYTES, digests.data + i * DIGEST_BYTES, size);
  }
  if (is_temporary) free(own.table.points);
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
  if (napi_get_value_bool(env, arguments[1], &with_table) != napi_ok) return throw_type_error(env, "expected a boolean");
  Checker *checker = calloc(1, sizeof *checker);
  if (checker == NULL) return throw_type_error(env, "out of memory");
  checker->state = state;
  const char *problem = NULL;
  /* The cofactor is 1, so every point of the curve except infinity is a valid public key (SEC 1 section 3.2.2.1). */
  if (!read_key(&checker->key, &key)) problem = "not a point of the curve";
  else if (with_table && !make_tables(checker, KEY_WIDTH)) problem = "out of memory";
  if (problem != NULL) {
    free_checker(env, checker, NULL);
    return throw_type_error(env, problem);
  }
  return to_function(env, check, checker, free_checker);
}
