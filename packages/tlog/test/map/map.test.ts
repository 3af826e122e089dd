import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  emptyMapRoot,
  type MapEntry,
  mapNodeHash,
  mapPath,
  type OrganizationHead,
  organizationKey,
  organizationValue,
  prefixesOf,
  type Sha256,
  TlogError,
  type UsageHead,
  updateMap,
  usageValue,
  verifyMapPath,
} from '../../src/index.ts';
import { naiveMap, nodeHashOf } from '../support/independent.ts';
import { flipped, hex, readVectors, unhex } from '../support/vectors.ts';

interface MapVector {
  readonly organizations: readonly OrganizationHead[];
  readonly usage: readonly { readonly key: string; readonly head: UsageHead }[];
  readonly root: string;
  readonly nodes: Readonly<Record<string, string>>;
}

const { maps } = readVectors<{ maps: readonly MapVector[] }>('map');
const nodesOf = ({ nodes }: MapVector) => new Map(Object.entries(nodes).map(([prefix, node]) => [prefix, unhex(node)]));
const entriesOf = ({ organizations, usage }: MapVector): MapEntry[] => [
  ...organizations.map((head) => ({ key: organizationKey(head.organizationId), value: organizationValue(head) })),
  ...usage.map(({ key, head }) => ({ key: unhex(key), value: usageValue(head) })),
];
const large = maps.at(-1) as MapVector;

describe('conformance/log/map.json', () => {
  it.each(maps.map((map) => [map.organizations.length + map.usage.length, map] as const))('map of %i entries', (_, map) => {
    const { root, nodes } = updateMap(emptyMapRoot(), new Map(), entriesOf(map));
    expect(hex(root)).toBe(map.root);
    if (map.organizations.length > 0) expect(nodes).toEqual(nodesOf(map));
    for (const { key, value } of entriesOf(map))
      expect(verifyMapPath(root, key, mapPath(key, nodes))).toEqual({ ok: true, value });
    const absent = organizationKey('absent');
    expect(verifyMapPath(root, absent, mapPath(absent, nodes))).toEqual({ ok: true, value: undefined });
  });
});

/** Keys that share long prefixes, so that small maps become deep. */
const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0xff), { minLength: 3, maxLength: 3 })
  .map((start) => Uint8Array.from({ length: 32 }, (_, at) => start[at] ?? 7));
const entry = fc.record({ key, value: fc.uint8Array({ minLength: 32, maxLength: 32 }) });

test('updates in any order give the map that the whole set of entries has', () => {
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 40 }), { maxLength: 6 }), (steps) => {
      let root = emptyMapRoot();
      const nodes = new Map<string, Uint8Array>();
      const all = new Map<string, string>();
      for (const changes of steps) {
        // Only the nodes that a store would return for these keys.
        const asked = new Set(changes.flatMap((change) => prefixesOf(change.key)));
        const updated = updateMap(root, new Map([...nodes].filter(([prefix]) => asked.has(prefix) || prefix === '')), changes);
        for (const [prefix, bytes] of updated.nodes) nodes.set(prefix, bytes);
        for (const change of changes) all.set(hex(change.key), hex(change.value));
        root = updated.root;
        const naive = naiveMap(all);
        expect(hex(root)).toBe(nodeHashOf(naive.get('') as string));
        if (nodes.size > 0) expect(new Map([...nodes].map(([prefix, bytes]) => [prefix, hex(bytes)]))).toEqual(naive);
      }
      for (const [known, value] of all) {
        const verdict = verifyMapPath(root, unhex(known), mapPath(unhex(known), nodes));
        expect(verdict).toEqual({ ok: true, value: unhex(value) });
      }
    }),
    { numRuns: 150 },
  );
});

describe('a proof', () => {
  const root = unhex(large.root);
  const nodes = nodesOf(large);
  const [{ key: known }] = entriesOf(large) as [MapEntry];
  const path = mapPath(known, nodes);

  it('fails with any bit of any node changed', () => {
    for (const [at, node] of path.entries())
      for (let byte = 0; byte < node.length; byte++)
        expect(verifyMapPath(root, known, path.with(at, flipped(node, byte))).ok).toBe(false);
  });

  it('fails with a node left out, added, doubled or exchanged, and for another root', () => {
    const [top, second] = path as [Uint8Array, Uint8Array];
    const bad = [[], path.slice(1), path.slice(0, -1), [...path, second], [top, top, ...path.slice(1)], path.toReversed()];
    for (const list of bad) expect(verifyMapPath(root, known, list).ok).toBe(false);
    expect(verifyMapPath(emptyMapRoot(), known, path).ok).toBe(false);
    expect(verifyMapPath(flipped(root, 3), known, path).ok).toBe(false);
  });

  it('of absence does not hold for a key that is present', () => {
    const absent = organizationKey('absent');
    const proof = mapPath(absent, nodes);
    expect(verifyMapPath(root, absent, proof)).toEqual({ ok: true, value: undefined });
    expect(verifyMapPath(root, known, proof).ok).toBe(false);
  });

  it('fails without an exception for malformed input', () => {
    for (const wrong of [null, 'x', [null], [7], ['00'], {}]) expect(verifyMapPath(root, known, wrong as never).ok).toBe(false);
    expect(verifyMapPath(root.slice(1), known, path).ok).toBe(false);
    expect(verifyMapPath(root, known.slice(1), path).ok).toBe(false);
  });

  it('fails for a node that hashes to the root and is no node', () => {
    const bytes = [
      Uint8Array.of(),
      Uint8Array.of(2),
      Uint8Array.of(0, 1),
      Uint8Array.of(1),
      Uint8Array.from({ length: 1 + 17 * 64 }, (_, at) => (at === 0 ? 0 : Math.floor((at - 1) / 64))),
      Uint8Array.from({ length: 1 + 2 * 64 }, () => 0),
    ];
    for (const node of bytes) expect(verifyMapPath(mapNodeHash(node), known, [node]).ok).toBe(false);
  });
});

describe('an update', () => {
  const root = unhex(large.root);
  const nodes = nodesOf(large);
  const [change] = entriesOf(large) as [MapEntry];

  it('fails on a node that is missing or was altered, and on another root', () => {
    for (const prefix of prefixesOf(change.key).filter((each) => nodes.has(each))) {
      const without = new Map(nodes);
      without.delete(prefix);
      expect(() => updateMap(root, without, [change])).toThrow(TlogError);
      const altered = new Map(nodes).set(prefix, flipped(nodes.get(prefix) as Uint8Array, 40));
      expect(() => updateMap(root, altered, [change])).toThrow('was altered');
    }
    expect(() => updateMap(flipped(root, 1), nodes, [change])).toThrow('was altered');
    expect(() => updateMap(flipped(root, 1), nodes, [])).toThrow('was altered');
    expect(() => updateMap(root, nodes, [{ ...change, value: new Uint8Array(31) }])).toThrow(TlogError);
  });

  it('returns only the nodes on the path of what changed, and the root as it was without a change', () => {
    const updated = updateMap(root, nodes, [{ ...change, value: new Uint8Array(32) }]);
    expect([...updated.nodes.keys()].toSorted()).toEqual(prefixesOf(change.key).filter((prefix) => nodes.has(prefix)));
    expect(hex(updateMap(root, nodes, [change]).root)).toBe(large.root);
    expect(updateMap(root, nodes, [])).toEqual({ root, nodes: new Map() });
  });

  it('uses the hash function of the caller', () => {
    let calls = 0;
    const counting: Sha256 = (data) => {
      calls++;
      return unhex(nodeHashOf(hex(data.slice(1))));
    };
    expect(hex(updateMap(root, nodes, [change], counting).root)).toBe(large.root);
    expect(calls).toBeGreaterThan(0);
  });
});
