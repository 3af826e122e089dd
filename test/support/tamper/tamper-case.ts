import type { Answer, Caller } from '../caller.ts';
import type { RawDatabase, StoredRow } from '../raw-database.ts';
import { createSubOrganization, type Member, signParams } from '../world.ts';

/** An organization that somebody with the database's password is about to work on. */
export interface Victim extends Member {
  readonly organizationId: string;
  readonly raw: RawDatabase;
  /** The root user of another organization, which is left alone. */
  readonly neighbour: Caller;
}

/** What is done to the database, and what its author hopes to get by it. */
export interface TamperCase {
  readonly name: string;
  /** Sets the scene through the service, then edits the database behind its back. Gives the request that is to profit. */
  edit(victim: Victim): Promise<(url: string) => Promise<Answer>>;
  /**
   * What a service says that was running all the while: it refuses, or goes on by what it had verified before, which may be a
   * refusal of its own.
   */
  readonly running: 'STATE_TAMPERED' | 'POLICY_DENIED' | 'PUBLIC_KEY_NOT_FOUND' | 'unimpressed';
  /** What a service says that was started afterwards; as for the whole organization, unless `onlyHere`. */
  readonly named: RegExp;
  /** The rest of the organization goes on. */
  readonly onlyHere?: true;
}

/** An organization of its own for a case. */
export async function createVictim(root: Caller, raw: RawDatabase): Promise<Victim> {
  const [victim, neighbour] = [await createSubOrganization(root), await createSubOrganization(root)];
  return { ...victim, raw, neighbour: neighbour.caller };
}

/** The refusal of an organization whose parts are all genuine and do not fit together. */
export const wholeState = /removed, added or put back to an older state, or the version was edited/;

/** A signature by the given key, asked for at whichever service. */
export const signWith = (caller: Caller, key: string) => (url: string) =>
  caller.with({ url }).submit('signRawPayload', signParams(key));

/** The one row that a query finds. */
export async function one(raw: RawDatabase, sql: string, ...params: string[]): Promise<StoredRow> {
  const [row] = await raw.all(sql, ...params);
  if (row === undefined) throw new Error(`nothing to edit: ${sql}`);
  return row;
}

/** Throws where an edit met nothing, which would make its test pass for nothing. */
export async function changed(count: Promise<number>): Promise<void> {
  if ((await count) === 0) throw new Error('the edit changed nothing');
}

/** Puts a row in as it is. */
export async function insert(raw: RawDatabase, table: string, row: StoredRow): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  await raw.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row));
}
