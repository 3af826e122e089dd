import { toBytes, toInteger, toText } from '../columns.ts';
import type { Value } from '../statement.ts';
import { type NamedColumn, nameList } from '../table.ts';
import { usagePoints } from '../tables.ts';
import { bucketName, sameUsage } from '../usage-rules.ts';
import type { UsageClaim, UsageHead } from '../usage-store.ts';
import type { Entry } from './rounds.ts';
import type { Execute, Parameter } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

/** The newest point of each bucket that a transaction deals with, with what it has added. */
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
 * The part of a statement that signs which counts: how many buckets have another newest point than expected, and the points that were
 * added. The parameters count on from `first`. Nothing is added before `after` is there.
 * INVARIANT: of two transactions that add the same revision of a bucket, one waits for the other and then adds nothing. Points are added
 * in the order of their key, so two nodes wait for each other in one direction.
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

/** What one statement needs to check and add the points of a batch. */
export interface Chains {
  readonly params: readonly Parameter[];
  readonly points: number;
}

/**
 * The points of a batch as chains: for each bucket the one that must be stored, and what is added to it. Undefined where one statement
 * is not enough: a claim does not build on the one before it, so that it has to be refused, or something is carried out because of a
 * bucket that it adds nothing to.
 * INVARIANT: such a look needs the lock of the organization. Without it, two commits that each count where the other looks could both be
 * taken, and neither would have been after the other. Whatever was refused may be taken without: nothing follows from it.
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

/**
 * The newest points of all buckets of a batch. Call it after their organizations were locked for change, so that nobody adds any.
 */
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
    seen.set(bucketName(key), { revision: toInteger(row, 'revision'), mac: toBytes(row, 'mac') });
  }
  return seen;
}

export function isCurrent(claims: readonly UsageClaim[], seen: SeenUsage): boolean {
  return claims.every((claim) => sameUsage(seen.get(bucketName(claim)), claim.expected));
}

export function serializeUsage(claims: readonly UsageClaim[], seen: SeenUsage): void {
  for (const { next } of claims) if (next !== undefined) seen.set(bucketName(next), next);
}
