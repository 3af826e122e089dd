/*
 * Computes with the field and the points of P-256, for a test to compare. Reads numbers of 64 hexadecimal digits.
 *   field: pairs of elements; writes product, sum, difference, inverse of the first and tangent at the first.
 *   sums: the coordinates of two points as elements, then pairs of scalars; writes the sum of both products, or "infinity".
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "p256-field.h"

#define MOST_LISTS 1
#define MOST_POINTS 64
#include "affine.h"

static int read_number(Number *number) {
  for (int i = WORDS; i-- > 0;)
    if (scanf("%16" SCNx64, &number->words[i]) != 1) return 0;
  return 1;
}

static void write_number(const Number *number) {
  for (int i = WORDS; i-- > 0;) printf("%016" PRIx64, number->words[i]);
  putchar(' ');
}

static void compute_field(void) {
  Element a, b, results[5];
  while (read_number(&a) && read_number(&b)) {
    multiply(&results[0], &a, &b);
    add(&results[1], &a, &b);
    subtract(&results[2], &a, &b);
    results[3] = (Element){{0, 0, 0, 0}};
    invert_element(&results[3], &a);
    tangent(&results[4], &a);
    for (int i = 0; i < 5; i++) write_number(&results[i]);
    putchar('\n');
  }
}

static int compute_sums(void) {
  static Sums sums;
  Point points[2], sum;
  Table tables[2];
  Number scalars[2];
  for (int i = 0; i < 2; i++)
    if (!read_number(&points[i].x) || !read_number(&points[i].y)) return 0;
  if (!make_table(&tables[0], &points[0], 10) || !make_table(&tables[1], &points[1], 7)) return 0;
  while (read_number(&scalars[0]) && read_number(&scalars[1])) {
    sums.count = 1;
    sums.lists[0].length = 0;
    for (int i = 0; i < 2; i++) list_product(&sums.lists[0], &tables[i], &scalars[i]);
    add_halves(&sums);
    if (sum_of(&sum, &sums.lists[0])) {
      write_number(&sum.x);
      write_number(&sum.y);
      putchar('\n');
    } else {
      puts("infinity");
    }
  }
  return 1;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "sums") == 0) return compute_sums() ? 0 : 1;
  compute_field();
  return 0;
}
