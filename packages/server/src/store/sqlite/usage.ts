import { bucketName, sameUsage } from '../commit-rules.ts';
import { usagePoints } from '../tables.ts';
import type { BucketKey, UsageClaim, UsageHead } from '../usage-store.ts';
import type { Cell, Database, Statement } from './driver.ts';

/** Newest points of the buckets that a transaction has read, including the points that it added. */
export type SeenUsage = Map<string, UsageHead | undefined>;

function toHead(row: readonly Cell[] | undefined): UsageHead | undefined {
  return row && { revision: row[0] as number, mac: row[1] as Uint8Array };
}

/** Checks and adds points within a write transaction, so no other process adds points concurrently. */
export function createUsageWriter(db: Database) {
  // Prepared on first use, because an earlier schema lacks the table.
  let select: Statement | undefined;
  let insert: Statement | undefined;

  function newest(key: BucketKey, seen: SeenUsage): UsageHead | undefined {
    const name = bucketName(key);
    if (!seen.has(name)) {
      select ??= db.prepare(
        'SELECT revision, mac FROM usage_points WHERE organization_id = ? AND bucket = ? ORDER BY revision DESC LIMIT 1',
      );
      seen.set(name, toHead(select.row(key.organizationId, key.bucket)));
    }
    return seen.get(name);
  }

  return {
    /** Whether every bucket has the newest point that the claim expects. */
    isCurrent: (claims: readonly UsageClaim[], seen: SeenUsage): boolean =>
      claims.every((claim) => sameUsage(newest(claim, seen), claim.expected)),

    add(claims: readonly UsageClaim[], seen: SeenUsage): void {
      for (const { next } of claims) {
        if (next === undefined) continue;
        insert ??= db.prepare(
          `INSERT INTO usage_points (${usagePoints.list}) VALUES (${usagePoints.columns.map(() => '?').join(', ')})`,
        );
        insert.run(...usagePoints.encode(next));
      }
      // Last, because an entry that a savepoint rolls back must not leave its points here.
      for (const { next } of claims) if (next !== undefined) seen.set(bucketName(next), next);
    },
  };
}
