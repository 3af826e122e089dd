import { terminalList } from '../activity-status.ts';
import type { ActivityRow, SettingRow } from '../rows.ts';
import type { CommitOutcome } from '../store.ts';
import { StoreFenced } from '../store-errors.ts';
import { type NamedColumn, nameList } from '../table.ts';
import { activities } from '../tables.ts';
import type { Entry } from './independent-entries.ts';
import type { Execute, Parameter } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';
import { type Chains, countingParameters, countingParts } from './usage.ts';

const taken: CommitOutcome = Object.freeze({ taken: true });
const versionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'VERSION_MOVED' });
const revisionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'REVISION_MOVED' });

/** Inserts rows in the order of their unique key, so that two nodes with the same fingerprints cannot deadlock. */
const inKeyOrder =
  'ORDER BY e.organization_id, e.requested_at_ms, e.fingerprint ON CONFLICT DO NOTHING RETURNING organization_id, id';
const given = `(${activities.list})`;

const insertActivities = `INSERT INTO activities ${given}
  SELECT * FROM ${unnest(activities.columns)} AS e ${given} ${inKeyOrder}`;

/** Columns of an activity, the expected head of its organization, and its log entry. */
const expecting: readonly NamedColumn[] = [
  ...activities.columns,
  { name: 'expected_version', type: 'integer' },
  { name: 'expected_mac', type: 'bytes' },
  { name: 'log_format', type: 'integer' },
  { name: 'log_body', type: 'text' },
  { name: 'log_mac', type: 'bytes' },
];

/**
 * Commits a batch that only signs in one statement, so in one round trip and one transaction: lock shared, compare heads, insert, and
 * queue for the log. FOR SHARE waits for a concurrent head change and then sees its outcome, although the statement started before it.
 */
const signActivities = (fence: string, counting?: Counting) => `WITH entry AS (
    SELECT * FROM ${unnest(expecting)} WITH ORDINALITY AS e (${nameList(expecting)}, position)
  ), locked AS (
    SELECT organization_id, version, mac FROM organizations WHERE organization_id = ANY ($${expecting.length + 1}::text[])
    ORDER BY organization_id FOR SHARE
  ), fence AS (
    ${fence}
  ), ${counting === undefined ? '' : `${counting.parts}, `}inserted AS (
    INSERT INTO activities ${given}
    SELECT ${activities.columns.map(({ name }) => `e.${name}`).join(', ')}
    FROM entry e JOIN locked ON locked.organization_id = e.organization_id AND locked.version = e.expected_version
      AND locked.mac = e.expected_mac
    WHERE EXISTS (SELECT 1 FROM fence)${counting === undefined ? '' : ' AND (SELECT count(*) FROM points) >= 0'}
    ${inKeyOrder}
  ), logged AS (
    INSERT INTO log_queue (organization_id, activity_id, revision, format, body, mac)
    SELECT e.organization_id, e.id, e.revision, e.log_format, e.log_body, e.log_mac
    FROM entry e JOIN inserted ON inserted.organization_id = e.organization_id AND inserted.id = e.id
    WHERE e.log_body IS NOT NULL ORDER BY e.position
  )
  SELECT (locked.version = e.expected_version AND locked.mac = e.expected_mac)::int AS current, (inserted.id IS NOT NULL)::int AS inserted,
    (SELECT count(*)::int FROM fence) AS in_epoch${counting === undefined ? '' : `, ${counting.allOrNothing}`}
  FROM entry e
  LEFT JOIN locked ON locked.organization_id = e.organization_id
  LEFT JOIN inserted ON inserted.organization_id = e.organization_id AND inserted.id = e.id
  ORDER BY e.position`;

/** Additional SQL of a signing statement that counts usage. */
interface Counting {
  readonly parts: string;
  readonly allOrNothing: string;
}

/** Number of parameters before those of the fence or of usage: the activities and the organizations. */
const SIGNING_PARAMETERS = expecting.length + 1;

/**
 * INVARIANT: a batch that counts usage is accepted as a whole or not at all. Each point builds on the previous one, so if one entry is
 * rejected, none may stay: a division by zero aborts the statement, and the entries are decided one by one.
 */
const counting = (first: number): Counting => ({
  parts: countingParts(first, 'locked'),
  allOrNothing: `1 / (CASE WHEN (SELECT count FROM moved) = 0 AND (SELECT count(*) FROM points) = $${first + countingParameters}::bigint
    AND (SELECT count(*) FROM inserted) = (SELECT count(*) FROM entry) THEN 1 ELSE 0 END) AS counted`,
});

const inEpoch = `SELECT 1 FROM settings WHERE name = $${SIGNING_PARAMETERS + 1}::text AND body = $${SIGNING_PARAMETERS + 2}::text`;

/** With a fence, see `locking` in `commit.ts`. */
const signing = {
  free: { name: 'sign_activities', sql: signActivities('SELECT 1') },
  fenced: { name: 'sign_activities_fenced', sql: signActivities(inEpoch) },
  counting: { name: 'sign_counting', sql: signActivities('SELECT 1', counting(SIGNING_PARAMETERS + 1)) },
  countingFenced: { name: 'sign_counting_fenced', sql: signActivities(inEpoch, counting(SIGNING_PARAMETERS + 3)) },
};

const updateActivities = `UPDATE activities AS a SET revision = e.revision, status = e.status, mac = e.mac, body = e.body, packed = e.packed
  FROM ${unnest(activities.columns)} AS e ${given}
  WHERE a.organization_id = e.organization_id AND a.id = e.id AND a.revision = e.revision - 1
    AND a.fingerprint = e.fingerprint AND a.type = e.type
    AND a.status NOT IN (${terminalList})
  RETURNING a.organization_id, a.id`;

const findRequests = `SELECT a.organization_id, a.fingerprint, a.id FROM activities a
  JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS e (organization_id, requested_at_ms, fingerprint)
    ON a.organization_id = e.organization_id AND a.requested_at_ms = e.requested_at_ms AND a.fingerprint = e.fingerprint`;

/** An entry with the activity that it writes. */
interface ActivityEntry extends Entry {
  readonly activity: ActivityRow;
}

const withActivity = (entries: readonly Entry[]): readonly ActivityEntry[] =>
  entries.flatMap((entry) => (entry.commit.activity === undefined ? [] : [{ ...entry, activity: entry.commit.activity }]));

/** The parameters of `unnest` over the activities of entries. */
function toParameters(entries: readonly ActivityEntry[]): readonly Parameter[] {
  return toArrays(
    activities.columns,
    entries.map(({ activity }) => activities.encode(activity)),
  );
}

const keyOf = (organizationId: unknown, id: unknown) => JSON.stringify([organizationId, id]);

/** Outcomes by position in the batch. */
export type Outcomes = Map<number, CommitOutcome>;

/**
 * Commits entries that only insert an activity and optionally count usage. No two of them may share an activity id or a fingerprint.
 * If some of them count usage and not all can be accepted, rejects with `division_by_zero` and stores nothing.
 */
export async function signAll(
  execute: Execute,
  all: readonly Entry[],
  outcomes: Outcomes,
  fence: SettingRow | undefined,
  chains?: Chains,
): Promise<void> {
  const entries = withActivity(all);
  const commits = entries.map((entry) => entry.commit);
  const versions = commits.map(({ expected }) => expected.version);
  const macs = commits.map(({ expected }) => expected.mac);
  const organizations = [...new Set(commits.map((commit) => toStored(commit.organizationId)))];
  const logFormats = commits.map(({ logEntry }) => logEntry?.format ?? null);
  const logBodies = commits.map(({ logEntry }) => (logEntry === undefined ? null : toStored(logEntry.body)));
  const logMacs = commits.map(({ logEntry }) => logEntry?.mac ?? null);
  const params = [...toParameters(entries), versions, macs, logFormats, logBodies, logMacs, organizations];
  const { name, sql } = statementFor(fence !== undefined, chains !== undefined);
  const fenceParams = fence === undefined ? [] : [toStored(fence.name), toStored(fence.body)];
  const usageParams = chains === undefined ? [] : [...chains.params, chains.points];
  const rows = await execute(name, sql, [...params, ...fenceParams, ...usageParams]);
  if (rows.some((row) => row.in_epoch !== 1)) throw new StoreFenced(`${fence?.name} is another`);
  const refused: ActivityEntry[] = [];
  entries.forEach((entry, index) => {
    const row = rows[index];
    if (row?.current !== 1) outcomes.set(entry.position, versionMoved);
    else if (row.inserted === 1) outcomes.set(entry.position, taken);
    else refused.push(entry);
  });
  await nameExisting(execute, refused, outcomes);
}

function statementFor(isFenced: boolean, counts: boolean) {
  if (counts) return isFenced ? signing.countingFenced : signing.counting;
  return isFenced ? signing.fenced : signing.free;
}

/** Writes the activities of entries whose versions are current. No two of them may share an activity id or a fingerprint. */
export async function putActivities(execute: Execute, all: readonly Entry[], outcomes: Outcomes): Promise<void> {
  for (const { position, commit } of all) if (commit.activity === undefined) outcomes.set(position, taken);
  const entries = withActivity(all);
  const isNew = ({ activity }: ActivityEntry) => activity.revision === 0;
  const inserts = entries.filter(isNew);
  const updates = entries.filter((entry) => !isNew(entry));
  if (inserts.length > 0) {
    const rows = await execute('insert_activities', insertActivities, toParameters(inserts));
    const done = new Set(rows.map((row) => keyOf(row.organization_id, row.id)));
    const refused = inserts.filter(({ position, activity }) => {
      const inserted = done.has(keyOf(activity.organizationId, activity.id));
      if (inserted) outcomes.set(position, taken);
      return !inserted;
    });
    await nameExisting(execute, refused, outcomes);
  }
  if (updates.length > 0) {
    const rows = await execute('update_activities', updateActivities, toParameters(updates));
    const done = new Set(rows.map((row) => keyOf(row.organization_id, row.id)));
    for (const { position, activity } of updates) {
      outcomes.set(position, done.has(keyOf(activity.organizationId, activity.id)) ? taken : revisionMoved);
    }
  }
}

/** Finds the activity that has the fingerprint of each rejected insert. If no activity has it, the id itself exists. */
async function nameExisting(execute: Execute, refused: readonly ActivityEntry[], outcomes: Outcomes): Promise<void> {
  if (refused.length === 0) return;
  const rejected = refused.map(({ activity }) => activity);
  const rows = await execute('find_requests', findRequests, [
    rejected.map((row) => toStored(row.organizationId)),
    rejected.map((row) => row.requestedAtMs),
    rejected.map((row) => toStored(row.fingerprint)),
  ]);
  const ids = new Map(rows.map((row) => [keyOf(row.organization_id, row.fingerprint), row.id]));
  for (const { position, activity } of refused) {
    const activityId = ids.get(keyOf(activity.organizationId, activity.fingerprint));
    const exists = typeof activityId === 'string';
    outcomes.set(position, exists ? { taken: false, reason: 'FINGERPRINT_EXISTS', activityId } : revisionMoved);
  }
}
