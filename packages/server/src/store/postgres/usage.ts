import { bucketName, sameUsage } from '../commit-rules.ts';
import type { Value } from '../statement.ts';
import { type NamedColumn, nameList, toBytes, toCoveredInteger, toText } from '../table.ts';
import { usagePoints } from '../tables.ts';
import type { UsageClaim, UsageHead } from '../usage-store.ts';
import type { Entry } from './independent-entries.ts';
import type { Execute, Parameter } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

/** Newest point of each bucket of a transaction, including the points that it added. */
export type SeenUsage = Map<string, UsageHead | undefined>;

const expectedColumns: readonly NamedColumn[] = [
  { name: 'organization_id', type: 'text' },
  { name: 'bucket', type: 'text' },
  { name: 'revision', type: 'integer' },
  { name: 'mac', type: 'bytes' },
];

const newestOf = (wanted: string) => `LEFT JOIN LATERAL (
    SELECT p.revision, p.mac FROM usage_points p WHERE p.organization_id = ${wanted}.organization_id AND p.bucket = ${wanted}.bucket
    ORDER BY p.revision DESC LIMIT 1) AS newest ON true`;

const readNewest = `SELECT wanted.organization_id, wanted.bucket, newest.revision, newest.mac
  FROM unnest($1::text[], $2::text[]) AS wanted (organization_id, bucket) ${newestOf('wanted')}`;

const insertPoints = (first: number) => `INSERT INTO usage_points (${usagePoints.list})
  SELECT * FROM ${unnest(usagePoints.columns, first)} AS p (${usagePoints.list})`;

/**
 * The part of a signing statement that counts usage: the number of buckets whose newest point is not the expected one, and the points
 * that were added. Parameters are numbered from `first`. No point is added before `after` is complete.
 * INVARIANT: if two transactions add the same revision of a bucket, one waits for the other and then adds nothing. Points are added in
 * key order, so that two nodes cannot deadlock.
 */
export function countingParts(first: number, after: string): string {
  const firstOfPoints = first + expectedColumns.length;
  return `moved AS (
    SELECT count(*) AS count FROM ${unnest(expectedColumns, first)} AS wanted (${nameList(expectedColumns)}) ${newestOf('wanted')}
    WHERE newest.revision IS DISTINCT FROM wanted.revision OR newest.mac IS DISTINCT FROM wanted.mac
  ), points AS (
    ${insertPoints(firstOfPoints)} WHERE (SELECT count(*) FROM ${after}) >= 0
    ORDER BY organization_id, bucket, revision ON CONFLICT DO NOTHING RETURNING revision
  )`;
}

export const countingParameters = expectedColumns.length + usagePoints.columns.length;

const FAILED = 'ACTIVITY_STATUS_FAILED';

/** Parameters with which one statement checks and adds the points of a batch. */
export interface Chains {
  readonly params: readonly Parameter[];
  readonly points: number;
}

/**
 * The points of a batch as chains: for each bucket, the point that must be stored and the points to add. Undefined if one statement is
 * not enough: a claim does not build on the previous one and must be rejected, or an executed activity depends on a bucket that it adds
 * nothing to.
 * INVARIANT: such a read needs the lock of the organization. Without it, two commits that each add to the bucket that the other reads
 * could both be accepted, although no serial order allows both. A failed activity needs no lock, because nothing follows from it.
 */
export function chainsOf(entries: readonly Entry[]): Chains | undefined {
  const seen: SeenUsage = new Map();
  const first: UsageClaim[] = [];
  const points: Value[][] = [];
  for (const { commit } of entries) {
    for (const claim of commit.usage ?? []) {
      const name = bucketName(claim);
      if (claim.next === undefined && commit.activity?.status !== FAILED) return undefined;
      if (!seen.has(name)) first.push(claim);
      else if (!sameUsage(seen.get(name), claim.expected)) return undefined;
      seen.set(name, claim.next ?? claim.expected);
      if (claim.next !== undefined) points.push(usagePoints.encode(claim.next));
    }
  }
  const expected = [
    first.map(({ organizationId }) => toStored(organizationId)),
    first.map(({ bucket }) => toStored(bucket)),
    first.map(({ expected: head }) => head?.revision ?? null),
    first.map(({ expected: head }) => head?.mac ?? null),
  ];
  return { params: [...expected, ...toArrays(usagePoints.columns, points)], points: points.length };
}

/** Newest points of all buckets of a batch. Lock their organizations for change first, so that no other transaction adds points. */
export async function readUsage(execute: Execute, entries: readonly Entry[]): Promise<SeenUsage> {
  const claims = new Map(entries.flatMap(({ commit }) => (commit.usage ?? []).map((claim) => [bucketName(claim), claim])));
  const seen: SeenUsage = new Map();
  if (claims.size === 0) return seen;
  const wanted = [...claims.values()];
  const rows = await execute('read_usage', readNewest, [
    wanted.map(({ organizationId }) => toStored(organizationId)),
    wanted.map(({ bucket }) => toStored(bucket)),
  ]);
  for (const row of rows) {
    if (row.revision === null) continue;
    const key = { organizationId: toText(row, 'organization_id'), bucket: toText(row, 'bucket') };
    seen.set(bucketName(key), { revision: toCoveredInteger(row, 'revision'), mac: toBytes(row, 'mac') });
  }
  return seen;
}

export function isCurrent(claims: readonly UsageClaim[], seen: SeenUsage): boolean {
  return claims.every((claim) => sameUsage(seen.get(bucketName(claim)), claim.expected));
}

export function serializeUsage(claims: readonly UsageClaim[], seen: SeenUsage): void {
  for (const { next } of claims) if (next !== undefined) seen.set(bucketName(next), next);
}
