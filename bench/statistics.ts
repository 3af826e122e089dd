/** The values of several rounds: their median and range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The spread of at least one value. The machine is shared, so the median of several values says more than one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  return { median: percentile(sorted, 0.5), min: sorted[0] as number, max: sorted[sorted.length - 1] as number };
}

/** The value below which the given share of the sorted values lies, interpolated between neighbours. */
export function percentile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position - Math.floor(position));
}

/** The two-sided p-value of the Mann-Whitney U test, in its normal approximation with average ranks for ties. */
export function rankTest(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))].sort(
    (one, other) => one.value - other.value,
  );
  let rankSum = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    for (let at = from; at < to; at++) if (all[at]?.isA) rankSum += (from + 1 + to) / 2;
    from = to;
  }
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return 2 * upperTail(Math.abs(u - (a.length * b.length) / 2) / deviation);
}

/** The probability that a standard normal value exceeds z (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = series.reduce((total, factor, power) => total + factor * t ** (power + 1), 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
