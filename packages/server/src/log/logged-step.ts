import type { CreatedHead } from '@countersign/tlog';
import type { Write } from '../store/rows.ts';
import type { Head } from '../store/store.ts';
import type { UsageClaim } from '../store/usage-store.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import type { Integrity } from '../vault/vault.ts';
import type { CountedUsage, LoggedStep } from './entry.ts';

const digests = new WeakMap<Head, string>();

/** SHA-256 of a MAC in hex. Leaves and files name digests, because a MAC of the database has no business outside. */
export function macDigest(mac: Uint8Array): string {
  return sha256(mac).toString('hex');
}

/** The members of an entry that name a head. Memoized: most steps leave the head as it is. */
export function headMembers(head: Head): Pick<LoggedStep, 'headVersion' | 'headDigest'> {
  const headDigest = digests.get(head) ?? macDigest(head.mac);
  digests.set(head, headDigest);
  return { headVersion: head.version, headDigest };
}

const none: readonly never[] = [];

/** The heads of organizations that a commit inserts. */
export function createdHeads(writes: readonly Write[]): readonly CreatedHead[] {
  if (writes.length === 0) return none;
  return writes.flatMap((write) =>
    write.table === 'organizations' ? [{ organizationId: write.row.organizationId, ...headMembers(write.row) }] : [],
  );
}

/** The counts of a commit, as the head map names them. */
export function countedUsage(integrity: Integrity, claims: readonly UsageClaim[] = none): readonly CountedUsage[] {
  return claims.flatMap(({ organizationId, bucket, expected, next }) =>
    next === undefined
      ? []
      : [[usageKeyHex(integrity, organizationId, bucket), next.revision, macDigest(next.mac), digestOf(expected)]],
  );
}

function digestOf(before: UsageClaim['expected']): string {
  return before === undefined ? '' : macDigest(before.mac);
}

/** The key of a usage bucket in the head map, in hex. */
export function usageKeyHex(integrity: Integrity, organizationId: string, bucket: string): string {
  return Buffer.from(integrity.mapUsageKey(organizationId, bucket)).toString('hex');
}
