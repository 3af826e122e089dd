import { treeRoot } from '@countersign/tlog';
import { LogClient } from '../../../features/log/support.ts';
import type { Caller } from '../../../support/caller.ts';
import { openingOf } from '../../../support/packed-rows.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import { type Attempt, label } from './history.ts';
import { waitUntil } from './wait-until.ts';

/** What a look at the log found. */
export interface LogCheck {
  readonly leaves: number;
  /** Revisions of activities without a leaf, or places in the log or in an organization without one. */
  readonly holes: string[];
  /** Revisions of activities, or places, with more than one leaf. */
  readonly doubles: string[];
  /** Activities that a client heard of and that have no leaf with the heard status. */
  readonly unlogged: string[];
  /** Tiles, entries or a root that do not agree. */
  readonly invalid: string[];
}

/** How long entries may wait for their place. */
const PATIENCE_MS = 60_000;

/**
 * Compares the log of a running server with its activities and with what clients heard: as a stranger who reads the public pages, and
 * as somebody who sees the database.
 */
export async function checkLog(
  url: string,
  root: Caller,
  raw: RawDatabase,
  attempts: readonly Attempt[] = [],
): Promise<LogCheck> {
  const count = async (sql: string) => Number((await raw.all(sql))[0]?.count);
  await waitUntil(PATIENCE_MS, async () => (await count('SELECT count(*) AS count FROM log_queue')) === 0);
  // Publishes what was integrated. Another worker, which may answer the next request, does so a moment later.
  await root.with({ url }).query('listLogEntries');
  const client = new LogClient(url);
  const spans = await raw.all(
    'SELECT organization_id, first_leaf, last_leaf, first_sequence, last_sequence, leaves FROM archive_spans',
  );
  const archived = spans.reduce((sum, { leaves }) => sum + Number(leaves), 0);
  const stored = archived + (await count('SELECT count(*) AS count FROM log_leaves'));
  let tree = await client.checkpoint();
  await waitUntil(PATIENCE_MS, async () => {
    tree = await client.checkpoint();
    return tree.size === stored;
  });
  const invalid: string[] = [];
  const computed = await treeRoot(tree.size, client.reader(tree)).catch((error: Error) => error.message);
  if (typeof computed === 'string' || Buffer.compare(computed, tree.root) !== 0) invalid.push(`the tiles: ${computed}`);

  const rows = await raw.all(
    'SELECT organization_id, activity_id, revision, leaf_index, sequence, opening, packed FROM log_leaves ORDER BY leaf_index',
  );
  const [holes, doubles]: [string[], string[]] = [[], []];
  const seen = new Map<string, number>();
  const sequences = new Map<string, number>();
  const steps = new Set<string>();
  let next = 0;
  for (const [at, row] of rows.entries()) {
    for (; next < Number(row.leaf_index); next++)
      if (!spans.some((span) => Number(span.first_leaf) <= next && next <= Number(span.last_leaf)))
        holes.push(`leaf ${next} is missing`);
    next++;
    const organization = String(row.organization_id);
    const own = spans.filter((span) => span.organization_id === organization);
    for (let expected = (sequences.get(organization) ?? 0) + 1; expected < Number(row.sequence); expected++)
      if (!own.some((span) => Number(span.first_sequence) <= expected && expected <= Number(span.last_sequence)))
        holes.push(`${organization} has ${row.sequence} where ${expected} belongs`);
    if (Number(row.sequence) <= (sequences.get(organization) ?? 0)) holes.push(`${organization} has ${row.sequence} again`);
    sequences.set(organization, Number(row.sequence));
    const key = `${organization}/${row.activity_id}/${row.revision}`;
    if (seen.has(key)) doubles.push(key);
    seen.set(key, at);
    steps.add(`${row.activity_id} ${JSON.parse(openingOf(row)).status}`);
  }
  if (rows.length + archived !== tree.size)
    invalid.push(`the checkpoint names ${tree.size} leaves, and ${rows.length} are stored, ${archived} archived`);
  for (const row of await raw.all('SELECT organization_id, id, revision FROM activities'))
    for (let revision = 0; revision <= Number(row.revision); revision++)
      if (!seen.has(`${row.organization_id}/${row.id}/${revision}`)) holes.push(`${row.id} has no leaf for revision ${revision}`);
  const heard = attempts.filter(
    ({ activityId, outcome }) => activityId !== undefined && (outcome === 'ok' || outcome === 'denied'),
  );
  const unlogged = heard.filter(({ activityId, status }) => !steps.has(`${activityId} ${status}`));
  return { leaves: rows.length, holes, doubles, invalid, unlogged: unlogged.map((one) => `${label(one)} has no leaf`) };
}
