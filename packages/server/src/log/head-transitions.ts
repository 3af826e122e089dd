import { type OrganizationHead, usageValue } from '@countersign/tlog';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import { type CountedUsage, type HeadContent, INSTALLATION, type ReadEntry } from './entry.ts';

type Named = Pick<OrganizationHead, 'headVersion' | 'headDigest'>;

/** Newest values of the head map, before the next entry. */
export interface KnownHeads {
  /** Entries of the organizations that a step is about. Organizations without an entry are left out. */
  readonly heads: ReadonlyMap<string, OrganizationHead>;
  /** Values of the usage buckets that a step is about, by key in hex. Buckets without a value are left out. */
  readonly usage: ReadonlyMap<string, Uint8Array>;
}

/**
 * Follows heads and usage from entry to entry.
 * INVARIANT: an entry is accepted only if it follows the newest state in the log. So an old entry that is put back into the queue cannot
 * move the head map back, and after a deleted entry nothing of its organization is accepted.
 */
export class HeadTransitions {
  readonly #heads: Map<string, Named>;
  readonly #usage: Map<string, Uint8Array>;

  constructor({ heads, usage }: KnownHeads) {
    this.#heads = new Map(heads);
    this.#usage = new Map(usage);
  }

  /** Whether an entry follows the newest state. If it does, the entry becomes that state. */
  accepts({ row: { organizationId }, content }: ReadEntry): boolean {
    if (content.version !== 2) return false;
    const created = content.created ?? [];
    if (created.some((head) => this.#heads.has(head.organizationId))) return false;
    const own = created.find((head) => head.organizationId === organizationId) ?? this.#heads.get(organizationId);
    if (!follows(organizationId, own, content)) return false;
    if ((content.usage ?? []).some((counted) => !this.#isNext(counted))) return false;
    for (const head of created) this.#heads.set(head.organizationId, head);
    this.#heads.set(organizationId, content);
    for (const counted of content.usage ?? []) this.#usage.set(counted[0], countedValue(counted));
    return true;
  }

  #isNext(counted: CountedUsage): boolean {
    return followsCount(this.#usage.get(counted[0]), counted);
  }
}

/** The head of an organization after entries, in order. Entries that do not follow the ones before are skipped. */
export function newestHead(organizationId: string, before: Named | undefined, entries: readonly ReadEntry[]): Named | undefined {
  let head = before;
  for (const { row, content } of entries) {
    if (content.version !== 2) continue;
    const created = content.created?.find((each) => each.organizationId === organizationId);
    if (created !== undefined && head !== undefined) continue;
    head = created ?? head;
    if (row.organizationId === organizationId && follows(organizationId, head, content)) head = content;
  }
  return head;
}

/** Whether a count directly follows a value of the head map. Undefined means a bucket without a value. */
export function followsCount(before: Uint8Array | undefined, [, revision, , previous]: CountedUsage): boolean {
  if (revision === 1) return before === undefined && previous === '';
  if (before === undefined) return false;
  return Buffer.compare(before, usageValue({ revision: revision - 1, point: previous }, sha256)) === 0;
}

/** The value in the head map after a count. */
export function countedValue([, revision, point]: CountedUsage): Uint8Array {
  return usageValue({ revision, point }, sha256);
}

function follows(organizationId: string, before: Named | undefined, { headVersion, headDigest }: HeadContent): boolean {
  if (organizationId === INSTALLATION) return headVersion === 0 && headDigest === '';
  if (before === undefined) return false;
  if (headVersion === before.headVersion) return headDigest === before.headDigest;
  return headVersion === before.headVersion + 1 && headDigest !== '';
}
