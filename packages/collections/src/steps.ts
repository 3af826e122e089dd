/** Work in short steps, so that other tasks can run in between. The caller decides how many steps to run in a row. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps without a pause and returns the result. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The number of entries per step. */
export const STEP_ENTRIES = 256;
/** The number of texts sorted per step. */
const RUN = 1_024;

/** Maps items in order, one step each. */
export function* mapInSteps<T, R>(items: readonly T[], map: (item: T, index: number) => R): Steps<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) yield undefined;
    results.push(map(item, index));
  }
  return results;
}

/** Sorts texts by code units. */
export function* sortedInSteps(texts: readonly string[]): Steps<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += RUN) {
    runs.push(texts.slice(from, from + RUN).sort());
    yield undefined;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedInSteps(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSteps(left: readonly string[], right: readonly string[]): Steps<readonly string[]> {
  if (right.length === 0) return left;
  // Ids of records that were created together are often already in order.
  if ((left.at(-1) as string) <= (right[0] as string)) return left.concat(right);
  const merged: string[] = [];
  let [one, other] = [0, 0];
  while (one < left.length && other < right.length) {
    const [a, b] = [left[one] as string, right[other] as string];
    if (a <= b) {
      merged.push(a);
      one++;
    } else {
      merged.push(b);
      other++;
    }
    if (merged.length % RUN === 0) yield undefined;
  }
  while (one < left.length) merged.push(left[one++] as string);
  while (other < right.length) merged.push(right[other++] as string);
  return merged;
}
