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
