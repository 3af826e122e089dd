/** The items of one name, and the holders below it. */
class Holder<T> {
  readonly name: string;
  readonly parent: Holder<T> | undefined;
  readonly children = new Map<string, Holder<T>>();
  /** The children by their number of items. */
  readonly bySize = new Map<number, Set<Holder<T>>>();
  /** Of the largest child. */
  largestSize = 0;
  /** Its own items, oldest first. */
  readonly items = new Set<T>();
  /** Number of items here and below. */
  size = 0;

  constructor(name: string, parent: Holder<T> | undefined) {
    this.name = name;
    this.parent = parent;
  }
}

/**
 * Items that belong to holders at several levels, such as connections to blocks of addresses. Finds the item to give up if there are too
 * many. Every operation takes constant time per level.
 * INVARIANT: at each level, the holder with the most items loses one. So the number of names below a holder wins nothing for it.
 */
export class Holders<T> {
  readonly #root = new Holder<T>('', undefined);
  readonly #holders = new Map<T, Holder<T>>();

  get size(): number {
    return this.#root.size;
  }

  has(item: T): boolean {
    return this.#holders.has(item);
  }

  /** Adds an item as the newest of its holder, which the path names, outermost first. */
  add(path: readonly string[], item: T): void {
    this.delete(item);
    let holder = this.#root;
    for (const name of path) {
      const child = holder.children.get(name) ?? new Holder(name, holder);
      holder.children.set(name, child);
      holder = child;
    }
    holder.items.add(item);
    this.#holders.set(item, holder);
    resize(holder, 1);
  }

  delete(item: T): void {
    const holder = this.#holders.get(item);
    if (holder === undefined) return;
    this.#holders.delete(item);
    holder.items.delete(item);
    resize(holder, -1);
  }

  /** Makes an item the newest of its holder. */
  renew(item: T): void {
    const holder = this.#holders.get(item);
    if (holder?.items.delete(item)) holder.items.add(item);
  }

  /** The oldest item of the largest holder. */
  largest(): T | undefined {
    let holder = this.#root;
    while (holder.largestSize > 0) {
      const [first] = holder.bySize.get(holder.largestSize) as ReadonlySet<Holder<T>>;
      holder = first as Holder<T>;
    }
    const [oldest] = holder.items;
    return oldest;
  }
}

function resize<T>(holder: Holder<T>, by: 1 | -1): void {
  for (let at = holder; ; ) {
    const before = at.size;
    at.size += by;
    const { parent } = at;
    if (parent === undefined) return;
    move(parent, at, before);
    at = parent;
  }
}

/** Moves a child whose size changed by one. */
function move<T>(parent: Holder<T>, child: Holder<T>, before: number): void {
  const { bySize } = parent;
  const left = bySize.get(before);
  left?.delete(child);
  if (left?.size === 0) bySize.delete(before);
  if (child.size === 0) parent.children.delete(child.name);
  else {
    const same = bySize.get(child.size) ?? new Set();
    bySize.set(child.size, same.add(child));
  }
  if (child.size > parent.largestSize || !bySize.has(parent.largestSize)) parent.largestSize = child.size;
}
