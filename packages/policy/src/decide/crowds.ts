import type { Scalar } from '../check/typed.ts';
import { BasedMap } from '../persistent/based-map.ts';
import type { IndexKey } from './index-key.ts';

/** How many policies could be found in each bucket: by each value of a path, each approver and each namespace. */
export class Crowds {
  readonly #counts: ReadonlyMap<string, BasedMap<Scalar, number>>;

  private constructor(counts: ReadonlyMap<string, BasedMap<Scalar, number>>) {
    this.#counts = counts;
  }

  static readonly none = new Crowds(new Map());

  /** Counts very many. */
  static counter(): { add(keys: readonly IndexKey[]): void; finish(): Crowds } {
    const counts = new Map<string, Map<Scalar, number>>();
    return {
      add(keys) {
        for (const key of keys) {
          const place = placeOf(key);
          let inPlace = counts.get(place);
          if (inPlace === undefined) {
            inPlace = new Map();
            counts.set(place, inPlace);
          }
          for (const value of valuesOf(key)) inPlace.set(value, (inPlace.get(value) ?? 0) + 1);
        }
      },
      finish: () => new Crowds(new Map([...counts].map(([place, inPlace]) => [place, BasedMap.over(inPlace)]))),
    };
  }

  /** The counts with a policy of these keys more, or less. */
  with(keys: readonly IndexKey[], by: 1 | -1): Crowds {
    const counts = new Map(this.#counts);
    for (const key of keys) {
      const place = placeOf(key);
      let inPlace = counts.get(place) ?? BasedMap.empty<Scalar, number>();
      for (const value of valuesOf(key)) {
        const count = (inPlace.get(value) ?? 0) + by;
        inPlace = count === 0 ? inPlace.without(value) : inPlace.with(value, count);
      }
      if (inPlace.size === 0) counts.delete(place);
      else counts.set(place, inPlace);
    }
    return new Crowds(counts);
  }

  /** The key whose fullest bucket is the smallest: it makes the fewest requests look at a policy in vain. */
  leastCrowded(keys: readonly IndexKey[]): IndexKey | undefined {
    let best: IndexKey | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      const inPlace = this.#counts.get(placeOf(key));
      let crowd = 0;
      for (const value of valuesOf(key)) crowd = Math.max(crowd, inPlace?.get(value) ?? 0);
      if (crowd >= least) continue;
      best = key;
      least = crowd;
      // The policy itself is one of them, so that no key is found less often.
      if (least <= 1) break;
    }
    return best;
  }
}

/** No path has such a name. */
const APPROVERS = '(approvers)';
const NAMESPACES = '(namespaces)';

function placeOf(key: IndexKey): string {
  return key.kind === 'path' ? key.path : key.kind === 'approver' ? APPROVERS : NAMESPACES;
}

function valuesOf(key: IndexKey): Iterable<Scalar> {
  return key.kind === 'path' ? key.values : key.kind === 'approver' ? key.userIds : key.paths;
}
