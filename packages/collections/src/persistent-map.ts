/** A change of one key between two versions of a map. An absent side means that the key was absent. */
export interface Difference<V> {
  readonly key: string;
  readonly before?: V;
  readonly after?: V;
}

/** Builds a map from entries. An entry replaces an earlier one with the same key. */
export interface MapBuilder<V> {
  add(keys: readonly string[], values: readonly V[]): void;
  finish(): PersistentMap<V>;
}

/** Whether keys ascend and follow a key. */
function isAfter(before: string | undefined, keys: readonly string[]): boolean {
  let last = before;
  for (const key of keys) {
    if (last !== undefined && last >= key) return false;
    last = key;
  }
  return true;
}

/**
 * An immutable map with text keys, ordered by code units regardless of insertion order. `with` and `without` return a new version that
 * shares all but O(log n) nodes with this one. Values are never `undefined`.
 */
export class PersistentMap<V> implements ReadonlyMap<string, V> {
  readonly #tree: Tree<V>;
  #lineage: object | undefined;

  private constructor(tree: Tree<V>, lineage?: object) {
    this.#tree = tree;
    this.#lineage = lineage;
  }

  /** Shared by all versions of one map, so that a value derived from one version can be updated to another. */
  get lineage(): object {
    this.#lineage ??= {};
    return this.#lineage;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>(undefined);
  }

  /** A map with one entry. */
  static of<V>(key: string, value: V): PersistentMap<V> {
    return new PersistentMap(inserted(undefined, key, value));
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    const list = [...new Map(entries)].sort(([a], [b]) => (a < b ? -1 : 1));
    return PersistentMap.#built(list);
  }

  /** Like `from`, for entries whose keys already ascend. Does not sort. Throws if the keys do not ascend. */
  static fromAscending<V>(entries: readonly (readonly [string, V])[]): PersistentMap<V> {
    for (let index = 1; index < entries.length; index++) {
      if ((entries[index - 1]?.[0] as string) >= (entries[index]?.[0] as string)) throw new Error('keys must ascend');
    }
    return PersistentMap.#built(entries);
  }

  static #built<V>(entries: readonly (readonly [string, V])[]): PersistentMap<V> {
    const [keys, values] = [entries.map(([key]) => key), entries.map(([, value]) => value)];
    return new PersistentMap(built(keys, values));
  }

  /** Builds a map in parts. Parts whose keys ascend and follow those of earlier parts are the cheapest. */
  static builder<V>(): MapBuilder<V> {
    let tree: Tree<V>;
    let greatest: string | undefined;
    return {
      add(keys, values) {
        if (isAfter(greatest, keys)) tree = appended(tree, keys, values);
        else for (const [at, key] of keys.entries()) tree = inserted(tree, key, values[at] as V);
        for (const key of keys) if (greatest === undefined || key > greatest) greatest = key;
      },
      finish: () => new PersistentMap(tree),
    };
  }

  get size(): number {
    return sizeOf(this.#tree);
  }

  get(key: string): V | undefined {
    return find(this.#tree, key)?.value;
  }

  has(key: string): boolean {
    return find(this.#tree, key) !== undefined;
  }

  with(key: string, value: V): PersistentMap<V> {
    const tree = inserted(this.#tree, key, value);
    return tree === this.#tree ? this : new PersistentMap(tree, this.lineage);
  }

  without(key: string): PersistentMap<V> {
    const tree = removed(this.#tree, key);
    return tree === this.#tree ? this : new PersistentMap(tree, this.lineage);
  }

  /** The differences from another map. Cheap for an earlier version of this map. */
  differencesFrom(older: PersistentMap<V>): Difference<V>[] {
    const found: Difference<V>[] = [];
    compare(older.#tree, this.#tree, (key, before, after) => {
      found.push({ key, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
    });
    return found;
  }

  /** Entries in ascending key order, optionally only those after a key. */
  *ascending(afterKey?: string): Generator<[string, V], undefined> {
    for (const { key, value } of ascending(this.#tree, afterKey)) yield [key, value];
    return undefined;
  }

  /** Entries in descending key order, optionally only those before a key. */
  *descending(beforeKey?: string): Generator<[string, V], undefined> {
    for (const { key, value } of descending(this.#tree, beforeKey)) yield [key, value];
    return undefined;
  }

  entries(): Generator<[string, V], undefined> {
    return this.ascending();
  }

  [Symbol.iterator](): Generator<[string, V], undefined> {
    return this.ascending();
  }

  *keys(): Generator<string, undefined> {
    for (const { key } of ascending(this.#tree)) yield key;
    return undefined;
  }

  *values(): Generator<V, undefined> {
    for (const { value } of ascending(this.#tree)) yield value;
    return undefined;
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const { key, value } of ascending(this.#tree)) visit(value, key, this);
  }
}

/** A node of a weight-balanced search tree. Nodes are immutable: a change creates new nodes on the path to the root. */
export interface Node<V> {
  readonly key: string;
  readonly value: V;
  readonly left: Tree<V>;
  readonly right: Tree<V>;
  readonly size: number;
}

export type Tree<V> = Node<V> | undefined;

/**
 * No subtree has more than DELTA times the nodes of its sibling, and GAMMA decides between a single and a double rotation. These two values
 * are proven to keep insertion, deletion and join balanced (Hirai and Yamamoto, "Balancing weight-balanced trees", 2011).
 */
const DELTA = 3;
const GAMMA = 2;

const sizeOf = (tree: Tree<unknown>): number => (tree === undefined ? 0 : tree.size);

function node<V>(key: string, value: V, left: Tree<V>, right: Tree<V>): Node<V> {
  return { key, value, left, right, size: 1 + sizeOf(left) + sizeOf(right) };
}

/** Whether a subtree is too heavy compared with its sibling. The added 1 counts the empty leaf, as in the proof. */
const isHeavy = (side: number, other: number) => side + 1 > DELTA * (other + 1);
const needsDouble = (inner: Tree<unknown>, outer: Tree<unknown>) => sizeOf(inner) + 1 >= GAMMA * (sizeOf(outer) + 1);

/** A node of two trees that at most one change has unbalanced. */
function balanced<V>(key: string, value: V, left: Tree<V>, right: Tree<V>): Node<V> {
  if (right !== undefined && isHeavy(right.size, sizeOf(left))) {
    const { left: inner, right: outer } = right;
    if (inner === undefined || !needsDouble(inner, outer))
      return node(right.key, right.value, node(key, value, left, inner), outer);
    return node(inner.key, inner.value, node(key, value, left, inner.left), node(right.key, right.value, inner.right, outer));
  }
  if (left !== undefined && isHeavy(left.size, sizeOf(right))) {
    const { left: outer, right: inner } = left;
    if (inner === undefined || !needsDouble(inner, outer))
      return node(left.key, left.value, outer, node(key, value, inner, right));
    return node(inner.key, inner.value, node(left.key, left.value, outer, inner.left), node(key, value, inner.right, right));
  }
  return node(key, value, left, right);
}

function find<V>(tree: Tree<V>, key: string): Tree<V> {
  let at = tree;
  while (at !== undefined && at.key !== key) at = key < at.key ? at.left : at.right;
  return at;
}

/** The tree with an entry. Returns the same tree if it already has this value. */
function inserted<V>(tree: Tree<V>, key: string, value: V): Node<V> {
  if (tree === undefined) return node(key, value, undefined, undefined);
  if (tree.key === key) return tree.value === value ? tree : { ...tree, value };
  if (key < tree.key) {
    const left = inserted(tree.left, key, value);
    return left === tree.left ? tree : balanced(tree.key, tree.value, left, tree.right);
  }
  const right = inserted(tree.right, key, value);
  return right === tree.right ? tree : balanced(tree.key, tree.value, tree.left, right);
}

/** The tree without an entry. Returns the same tree if the key is absent. */
function removed<V>(tree: Tree<V>, key: string): Tree<V> {
  if (tree === undefined) return undefined;
  if (tree.key === key) return glued(tree.left, tree.right);
  if (key < tree.key) {
    const left = removed(tree.left, key);
    return left === tree.left ? tree : balanced(tree.key, tree.value, left, tree.right);
  }
  const right = removed(tree.right, key);
  return right === tree.right ? tree : balanced(tree.key, tree.value, tree.left, right);
}

/** Concatenates two trees that are balanced relative to each other. Every key of the first precedes those of the second. */
function glued<V>(left: Tree<V>, right: Tree<V>): Tree<V> {
  if (left === undefined) return right;
  if (right === undefined) return left;
  if (left.size > right.size) {
    let last = left;
    while (last.right !== undefined) last = last.right;
    return balanced(last.key, last.value, removed(left, last.key), right);
  }
  let first = right;
  while (first.left !== undefined) first = first.left;
  return balanced(first.key, first.value, left, removed(right, first.key));
}

/** Joins an entry with the trees before and after it, of any sizes. */
function joined<V>(key: string, value: V, left: Tree<V>, right: Tree<V>): Node<V> {
  if (right !== undefined && isHeavy(right.size, sizeOf(left)))
    return balanced(right.key, right.value, joined(key, value, left, right.left), right.right);
  if (left !== undefined && isHeavy(left.size, sizeOf(right)))
    return balanced(left.key, left.value, left.left, joined(key, value, left.right, right));
  return node(key, value, left, right);
}

function split<V>(tree: Tree<V>, key: string): { readonly before: Tree<V>; readonly at: Tree<V>; readonly after: Tree<V> } {
  if (tree === undefined) return { before: undefined, at: undefined, after: undefined };
  if (tree.key === key) return { before: tree.left, at: tree, after: tree.right };
  if (key < tree.key) {
    const { before, at, after } = split(tree.left, key);
    return { before, at, after: joined(tree.key, tree.value, after, tree.right) };
  }
  const { before, at, after } = split(tree.right, key);
  return { before: joined(tree.key, tree.value, tree.left, before), at, after };
}

/**
 * Calls `visit` for each key whose value differs between two trees, in key order. Shared subtrees are skipped, so the cost depends on the
 * number of changes.
 */
function compare<V>(
  older: Tree<V>,
  newer: Tree<V>,
  visit: (key: string, before: V | undefined, after: V | undefined) => void,
): void {
  if (older === newer) return;
  if (newer === undefined) {
    for (const { key, value } of ascending(older)) visit(key, value, undefined);
    return;
  }
  const { before, at, after } = split(older, newer.key);
  compare(before, newer.left, visit);
  if (at?.value !== newer.value) visit(newer.key, at?.value, newer.value);
  compare(after, newer.right, visit);
}

/** A balanced tree of entries whose keys ascend. */
function built<V>(keys: readonly string[], values: readonly V[], from = 0, to = keys.length): Tree<V> {
  if (from >= to) return undefined;
  const middle = (from + to) >>> 1;
  const left = built(keys, values, from, middle);
  return node(keys[middle] as string, values[middle] as V, left, built(keys, values, middle + 1, to));
}

/** Appends entries whose keys ascend and follow all keys of the tree. */
function appended<V>(tree: Tree<V>, keys: readonly string[], values: readonly V[]): Tree<V> {
  if (keys.length === 0) return tree;
  return joined(keys[0] as string, values[0] as V, tree, built(keys, values, 1));
}

/** Nodes in ascending key order, optionally only those after a key. */
function* ascending<V>(tree: Tree<V>, afterKey?: string): Generator<Node<V>, undefined> {
  const path: Node<V>[] = [];
  let at = tree;
  while (at !== undefined || path.length > 0) {
    while (at !== undefined) {
      const isWanted: boolean = afterKey === undefined || at.key > afterKey;
      if (isWanted) path.push(at);
      at = isWanted ? at.left : at.right;
    }
    const next = path.pop();
    if (next === undefined) return undefined;
    yield next;
    at = next.right;
  }
  return undefined;
}

/** Nodes in descending key order, optionally only those before a key. */
function* descending<V>(tree: Tree<V>, beforeKey?: string): Generator<Node<V>, undefined> {
  const path: Node<V>[] = [];
  let at = tree;
  while (at !== undefined || path.length > 0) {
    while (at !== undefined) {
      const isWanted: boolean = beforeKey === undefined || at.key < beforeKey;
      if (isWanted) path.push(at);
      at = isWanted ? at.right : at.left;
    }
    const next = path.pop();
    if (next === undefined) return undefined;
    yield next;
    at = next.left;
  }
  return undefined;
}
