const numbers = new WeakMap<object, number>();
let given = 0;

/** A stable number per response object. An unchanged response stays the same object. */
export function numberOf(answer: object | undefined): number {
  if (answer === undefined) return 0;
  const known = numbers.get(answer) ?? ++given;
  numbers.set(answer, known);
  return known;
}
