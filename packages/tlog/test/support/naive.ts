import { createHash } from 'node:crypto';

const hash = (...parts: Uint8Array[]) => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return Uint8Array.from(sum.digest());
};

/** The recursive definitions of RFC 6962 sections 2.1, 2.1.1 and 2.1.2, word for word. Subtrees are remembered, to save time. */
export class NaiveTree {
  private readonly leaves: readonly Uint8Array[];
  private readonly remembered = new Map<string, Uint8Array>();

  constructor(leaves: readonly Uint8Array[]) {
    this.leaves = leaves;
  }

  root(start: number, end: number): Uint8Array {
    const key = `${start}:${end}`;
    const found = this.remembered.get(key) ?? this.compute(start, end);
    this.remembered.set(key, found);
    return found;
  }

  path(index: number, start: number, end: number): Uint8Array[] {
    if (end - start === 1) return [];
    const middle = start + largestPowerBelow(end - start);
    return index < middle
      ? [...this.path(index, start, middle), this.root(middle, end)]
      : [...this.path(index, middle, end), this.root(start, middle)];
  }

  subproof(oldEnd: number, start: number, end: number, isOldRoot: boolean): Uint8Array[] {
    if (oldEnd === end) return isOldRoot ? [] : [this.root(start, end)];
    const middle = start + largestPowerBelow(end - start);
    return oldEnd <= middle
      ? [...this.subproof(oldEnd, start, middle, isOldRoot), this.root(middle, end)]
      : [...this.subproof(oldEnd, middle, end, false), this.root(start, middle)];
  }

  private compute(start: number, end: number): Uint8Array {
    if (start === end) return hash();
    if (end - start === 1) return hash(Uint8Array.of(0), this.leaves[start] as Uint8Array);
    const middle = start + largestPowerBelow(end - start);
    return hash(Uint8Array.of(1), this.root(start, middle), this.root(middle, end));
  }
}

function largestPowerBelow(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}
