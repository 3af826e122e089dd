/** Settings of a `FairQueue`. */
export interface FairQueueSettings {
  /** How long a flow runs before the next flow's turn, in milliseconds. */
  readonly quantumMs: number;
  /**
   * Whether new flows run before those that always have more (RFC 8290).
   * SECURITY: only if names of flows are expensive. Otherwise a client that uses each name once always runs first.
   */
  readonly newFirst: boolean;
}

/** The items of one name, and the flows below it. */
class Flow<T> {
  readonly name: string;
  readonly parent: Flow<T> | undefined;
  readonly children = new Map<string, Flow<T>>();
  /** Children in order of their turns. */
  fresh: Flow<T>[] = [];
  old: Flow<T>[] = [];
  /** Its own items, before those of its children. */
  readonly items: T[] = [];
  /** Number of items here and below. */
  waiting = 0;
  /** Remaining run time of its turn. Negative if it ran longer. */
  creditMs: number;

  constructor(name: string, parent: Flow<T> | undefined, creditMs: number) {
    this.name = name;
    this.parent = parent;
    this.creditMs = creditMs;
  }
}

/** An item whose turn it is. */
export interface Taken<T> {
  readonly item: T;
  /** If one of its flows was idle before: the number of flows beside the outermost such flow that had a turn and may have more items. */
  readonly ahead: number | undefined;
  /** Charges its run time to its flows. */
  charge(ms: number): void;
}

/**
 * A queue in which flows take turns by measured run time, at every level of a hierarchy (deficit round robin). The path of an item names
 * its flows, outermost first. An operation takes constant time per level, except for `dropWhere` and `dropOfLongest`.
 * INVARIANT: the flows below one flow share its turns, however many they are.
 * INVARIANT: it holds no flow of a path without items, except for flows whose parent has items.
 */
export class FairQueue<T> {
  readonly #settings: FairQueueSettings;
  readonly #root: Flow<T>;

  constructor(settings: FairQueueSettings) {
    this.#settings = settings;
    this.#root = new Flow('', undefined, 0);
  }

  /** Number of items. */
  get waiting(): number {
    return this.#root.waiting;
  }

  /** Whether an outermost flow that was idle before has an item. */
  get hasNew(): boolean {
    return this.#root.fresh.some(({ waiting }) => waiting > 0);
  }

  /** Adds an item behind the others of its innermost flow. */
  push(path: readonly string[], item: T): void {
    let flow = this.#root;
    flow.waiting += 1;
    for (const name of path) {
      let child = flow.children.get(name);
      if (child === undefined) {
        child = new Flow(name, flow, this.#settings.quantumMs);
        flow.children.set(name, child);
        (this.#settings.newFirst ? flow.fresh : flow.old).push(child);
      }
      child.waiting += 1;
      flow = child;
    }
    flow.items.push(item);
  }

  /** The next item in turn. */
  take(): Taken<T> | undefined {
    if (this.#root.waiting === 0) return undefined;
    let flow = this.#root;
    let ahead: number | undefined;
    while (flow.items.length === 0) {
      const child = this.#nextOf(flow);
      if (flow.fresh.length > 0) ahead ??= flow.old.length;
      flow = child;
    }
    const item = flow.items.shift() as T;
    const taken = flow;
    removed(taken, 1);
    return { item, ahead, charge: (ms) => charge(taken, ms) };
  }

  /** Removes items for which `isDropped` returns true, from the front of each flow. Returns them. */
  dropWhere(isDropped: (item: T) => boolean): T[] {
    return [...flowsWithItems(this.#root)].flatMap((flow) => dropFront(flow, isDropped));
  }

  /** The same for the flow that has the most items at each level. */
  dropOfLongest(isDropped: (item: T) => boolean): T[] {
    let flow = this.#root;
    while (flow.children.size > 0) {
      const longest = [...flow.children.values()].reduce((a, b) => (b.waiting > a.waiting ? b : a));
      if (longest.waiting === 0) break;
      flow = longest;
    }
    return dropFront(flow, isDropped);
  }

  /** Whether the first item of a flow matches. */
  someFirst(matches: (item: T) => boolean): boolean {
    for (const { items } of flowsWithItems(this.#root)) if (matches(items[0] as T)) return true;
    return false;
  }

  /** The child whose turn it is. Children without credit go to the end, and those that stay without items are forgotten. */
  #nextOf(flow: Flow<T>): Flow<T> {
    for (;;) {
      const list = flow.fresh.length > 0 ? flow.fresh : flow.old;
      const child = list[0] as Flow<T>;
      if (child.creditMs > 0 && child.waiting > 0) return child;
      list.shift();
      if (child.creditMs <= 0) {
        child.creditMs += this.#settings.quantumMs;
        flow.old.push(child);
      } else if (list === flow.fresh && flow.old.length > 0) {
        // A new flow must not become the first one again by sending its next request a little later.
        flow.old.push(child);
      } else flow.children.delete(child.name);
    }
  }
}

function charge<T>(flow: Flow<T>, ms: number): void {
  for (let at: Flow<T> | undefined = flow; at !== undefined; at = at.parent) at.creditMs -= ms;
}

/** Counts items that left a flow. A flow without items forgets its children. */
function removed<T>(flow: Flow<T>, count: number): void {
  for (let at: Flow<T> | undefined = flow; at !== undefined; at = at.parent) {
    at.waiting -= count;
    if (at.waiting > 0 || at.children.size === 0) continue;
    at.children.clear();
    at.fresh = [];
    at.old = [];
  }
}

function dropFront<T>(flow: Flow<T>, isDropped: (item: T) => boolean): T[] {
  const kept = flow.items.findIndex((item) => !isDropped(item));
  const dropped = flow.items.splice(0, kept === -1 ? flow.items.length : kept);
  removed(flow, dropped.length);
  return dropped;
}

function* flowsWithItems<T>(flow: Flow<T>): Generator<Flow<T>> {
  if (flow.items.length > 0) yield flow;
  for (const child of flow.children.values()) yield* flowsWithItems(child);
}
