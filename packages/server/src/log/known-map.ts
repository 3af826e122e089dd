import type { OrganizationHead } from '@countersign/tlog';
import type { Appending } from './append.ts';
import type { ReadEntry } from './entry.ts';
import type { KnownHeads } from './head-transitions.ts';
import { type MapStore, mapValue, readHeads, readNodes } from './map-reader.ts';

/** Organizations, buckets and nodes that are remembered together. */
const MAX_REMEMBERED = 20_000;

/** Verified parts of the head map at one position of the log. */
export class KnownMap implements KnownHeads {
  readonly heads = new Map<string, OrganizationHead>();
  readonly usage = new Map<string, Uint8Array>();
  readonly nodes = new Map<string, Uint8Array>();
  /** Organizations and keys of buckets that were looked up, also without a value. */
  readonly #looked = new Set<string>();

  /** Reads everything that entries name. Throws TlogError if it does not match the root. */
  async load(store: MapStore, root: Uint8Array, entries: readonly ReadEntry[]): Promise<void> {
    const organizationIds = new Set<string>();
    const keys = new Set<string>();
    for (const { row, content } of entries) {
      organizationIds.add(row.organizationId);
      if (content.version !== 2) continue;
      for (const head of content.created ?? []) organizationIds.add(head.organizationId);
      for (const [key] of content.usage ?? []) keys.add(key);
    }
    const newIds = [...organizationIds].filter((id) => !this.#looked.has(id));
    const newKeys = [...keys].filter((key) => !this.#looked.has(key));
    if (newKeys.length > 0)
      await readNodes(
        store,
        newKeys.map((key) => Buffer.from(key, 'hex')),
        this.nodes,
      );
    for (const [id, head] of newIds.length === 0 ? [] : await readHeads(store, root, newIds, this.nodes))
      this.heads.set(id, head);
    for (const key of newKeys) {
      const value = mapValue(root, Buffer.from(key, 'hex'), this.nodes);
      if (value !== undefined) this.usage.set(key, value);
    }
    for (const name of [...newIds, ...newKeys]) this.#looked.add(name);
  }

  /** Moves to the position after an append. Returns false if too much is remembered. */
  advance({ heads, usage, nodes }: Pick<Appending, 'heads' | 'usage' | 'nodes'>): boolean {
    for (const [id, head] of heads) this.heads.set(id, head);
    for (const [key, value] of usage) this.usage.set(key, value);
    for (const [prefix, node] of nodes) this.nodes.set(prefix, node);
    return this.heads.size + this.usage.size + this.nodes.size <= MAX_REMEMBERED;
  }
}
