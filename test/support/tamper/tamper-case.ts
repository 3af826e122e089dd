import type { Answer, Caller } from '../caller.ts';
import type { Cell, RawDatabase, StoredRow } from '../raw-database.ts';
import { createSubOrganization, type Member, signParams } from '../world.ts';

/** An organization that an attacker with the database's password targets. */
export interface Victim extends Member {
  readonly organizationId: string;
  readonly raw: RawDatabase;
  /** The root user of another organization, which is not attacked. */
  readonly neighbour: Caller;
}

/** An edit of the database, and the request that should profit from it. */
export interface TamperCase {
  readonly name: string;
  /** Prepares through the service, then edits the database directly. Returns the request that should profit. */
  edit(victim: Victim): Promise<(url: string) => Promise<Answer>>;
  /**
   * The answer of a service that kept running: it denies the request because of the edit, or continues with the state that it verified
   * before, which may also deny it.
   */
  readonly running: 'STATE_TAMPERED' | 'POLICY_DENIED' | 'PUBLIC_KEY_NOT_FOUND' | 'unimpressed';
  /** The answer of a service started afterwards. It applies to the whole organization unless `onlyHere`. */
  readonly reported: RegExp;
  /** The rest of the organization keeps working. */
  readonly onlyHere?: true;
}

/** A new organization for one case. */
export async function createVictim(root: Caller, raw: RawDatabase): Promise<Victim> {
  const [victim, neighbour] = [await createSubOrganization(root), await createSubOrganization(root)];
  return { ...victim, raw, neighbour: neighbour.caller };
}

/** The error of an organization whose rows are all genuine but inconsistent. */
export const wholeState = /removed, added or rolled back to an older state, or the version was edited/;

/** An integer beyond those that JavaScript represents exactly, as SQL. */
export const LARGE = '9007199254740993';

/** Requests a signature by the given key, at any service. */
export const signWith = (caller: Caller, key: string) => (url: string) =>
  caller.with({ url }).submit('signRawPayload', signParams(key));

/** The one row that a query finds. */
export async function one(raw: RawDatabase, sql: string, ...params: string[]): Promise<StoredRow> {
  const [row] = await raw.all(sql, ...params);
  if (row === undefined) throw new Error(`nothing to edit: ${sql}`);
  return row;
}

/** Throws if an edit changed nothing, because its test would then prove nothing. */
export async function changed(count: Promise<number>): Promise<void> {
  if ((await count) === 0) throw new Error('the edit changed nothing');
}

/** Puts an older state of a record or resource in place of the present one, with its MAC. */
export async function rollBack(raw: RawDatabase, table: 'records' | 'resources', row: StoredRow): Promise<void> {
  const { organization_id, kind, id, written_by, body, mac } = row as Record<string, Cell>;
  const sql = `UPDATE ${table} SET written_by = ?, body = ?, mac = ? WHERE organization_id = ? AND kind = ? AND id = ?`;
  await changed(raw.run(sql, ...([written_by, body, mac, organization_id, kind, id] as Cell[])));
}

/** Inserts a row unchanged. */
export async function insert(raw: RawDatabase, table: string, row: StoredRow): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  await raw.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row));
}
