import { PersistentMap, type Steps, sortedInSteps } from '@countersign/collections';
import { ServiceError } from '@countersign/contract';
import { indexCredentials } from '@countersign/judgement';
import { createSlices, type EndSlice, inSlices } from '../../admission/index.ts';
import type { KeyRow, RecordRow } from '../../store/rows.ts';
import type { Head, Place, Store } from '../../store/store.ts';
import { addElement, macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type RecordKind, recordKinds } from '../records.ts';
import { buildSnapshot, type Content, forEachKind, macText, type Records, type Snapshot } from './snapshot.ts';
import { KEY_BYTES, recordBytes } from './snapshot-bytes.ts';

/** Raises an alarm, in the log and the metrics, for stored state that does not verify. */
export type Alarm = (organizationId: string, what: string) => void;

/** Raises the alarm, and returns the error for state that does not verify. */
export function tampered(alarm: Alarm, organizationId: string, what: string, cause?: unknown): ServiceError {
  alarm(organizationId, what);
  return new ServiceError(
    'STATE_TAMPERED',
    `The stored state of organization ${organizationId} does not verify: ${what}. Nothing was signed or changed. Restore the database from a backup, or run 'countersign doctor' for details.`,
    { cause },
  );
}

/** Rows per page. An organization with fewer rows is read in one transaction. */
const PAGE_ROWS = 1_000;
/** Maximum number of reads of an organization that changes concurrently. The last read uses one transaction, regardless of size. */
const MAX_READS = 4;

/**
 * Reads an organization and verifies it as a whole, in slices: other requests are served while a large one is read.
 * SECURITY: throws STATE_TAMPERED, for this organization alone, if a row was inserted, altered, swapped, deleted or rolled back.
 */
export async function loadChecked(
  store: Store['organizations'],
  integrity: Integrity,
  alarm: Alarm,
  organizationId: string,
): Promise<Snapshot | undefined> {
  for (let reads = 1; ; reads++) {
    const isLast = reads >= MAX_READS;
    const stored = await store.snapshot(organizationId, isLast ? undefined : PAGE_ROWS);
    if (stored === undefined) return undefined;
    const reading = new Reading(integrity, alarm, organizationId);
    await reading.addRecords(stored.records);
    await reading.addKeys(stored.keys);
    if (stored.more) {
      await readOn(
        (after) => store.recordsAfter(organizationId, after, PAGE_ROWS),
        (rows) => reading.addRecords(rows),
        stored.records.at(-1),
      );
      await readOn(
        (after) => store.keysAfter(organizationId, after, PAGE_ROWS),
        (rows) => reading.addKeys(rows),
        stored.keys.at(-1),
      );
      // INVARIANT: every change of these rows also changes the head. If the head is unchanged, the pages form a consistent snapshot.
      const now = await store.head(organizationId);
      if (now?.version !== stored.head.version || !macsEqual(now.mac, stored.head.mac)) continue;
    }
    return reading.finish(stored.head);
  }
}

/** Reads the rows after `last`, page by page, and adds them. */
async function readOn<R extends Place>(
  read: (after: Place) => Promise<readonly R[]>,
  add: (rows: readonly R[]) => Promise<void>,
  last: Place | undefined,
): Promise<void> {
  for (let after = last; after !== undefined; ) {
    const rows: readonly R[] = await read(after);
    await add(rows);
    after = rows.at(-1);
  }
}

/** Rows to verify before yielding to other requests. */
const STEP_ROWS = 250;
const MAC_BYTES = 32;
const kinds: ReadonlyMap<string, RecordKind> = new Map(recordKinds.map((kind) => [kind, kind]));

/** An organization that is being read: the rows verified so far, and their sums. */
class Reading {
  readonly #integrity: Integrity;
  readonly #alarm: Alarm;
  readonly #organizationId: string;
  readonly #endSlice: EndSlice;
  readonly #records = forEachKind(() => PersistentMap.builder<unknown>());
  readonly #macs = forEachKind(() => PersistentMap.builder<string>());
  readonly #policyRevisions = PersistentMap.builder<number>();
  readonly #marks: string[] = [];
  #recordsSum = 0n;
  #keysSum = 0n;
  readonly #keyCounts: Record<string, number> = {};
  #bytes = 0;

  constructor(integrity: Integrity, alarm: Alarm, organizationId: string) {
    this.#integrity = integrity;
    this.#alarm = alarm;
    this.#organizationId = organizationId;
    this.#endSlice = createSlices(organizationId);
  }

  async addRecords(rows: readonly RecordRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += STEP_ROWS) {
      this.#addChecked(rows.slice(from, from + STEP_ROWS));
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
  }

  /** Verifies some records and adds them, grouped by kind. */
  #addChecked(rows: readonly RecordRow[]): void {
    const macs = this.#check(rows);
    this.#recordsSum = addElement(this.#recordsSum, this.#integrity.elements(macs));
    const texts = macText(macs);
    for (let from = 0; from < rows.length; ) {
      const kind = kinds.get((rows[from] as RecordRow).kind) as RecordKind;
      let to = from;
      while (rows[to]?.kind === kind) to++;
      const part = rows.slice(from, to);
      const ids = part.map(({ id }) => id);
      this.#records[kind].add(
        ids,
        part.map(({ body }) => JSON.parse(body)),
      );
      this.#macs[kind].add(
        ids,
        part.map((_, at) => macAt(texts, from + at)),
      );
      if (kind === 'policy')
        this.#policyRevisions.add(
          ids,
          part.map(({ writtenBy }) => writtenBy),
        );
      for (const { body } of part) this.#bytes += recordBytes(kind, body.length);
      from = to;
    }
  }

  /** Returns the concatenated MACs of records. Throws unless each record has a known kind and a valid MAC. */
  #check(rows: readonly RecordRow[]): Buffer {
    const stored = Buffer.concat(rows.map(({ mac }) => mac));
    const expected = this.#integrity.rows('records', this.#organizationId, rows);
    if (rows.every(({ kind, mac }) => kinds.has(kind) && mac.length === MAC_BYTES) && macsEqual(stored, expected)) return stored;
    const altered = rows.find(
      ({ kind, mac }, at) => !kinds.has(kind) || !macsEqual(mac, expected.subarray(at * MAC_BYTES, (at + 1) * MAC_BYTES)),
    );
    const named = altered === undefined ? 'a record' : `the ${altered.kind} record ${altered.id}`;
    throw tampered(this.#alarm, this.#organizationId, `${named} was changed or inserted outside the service`);
  }

  async addKeys(rows: readonly KeyRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += STEP_ROWS) {
      const part = rows.slice(from, from + STEP_ROWS);
      const macs = Buffer.concat(part.map(({ mac }) => mac));
      if (macs.length !== part.length * MAC_BYTES || part.some(({ mac }) => mac.length !== MAC_BYTES))
        throw tampered(this.#alarm, this.#organizationId, 'a wallet or private key has a MAC of another length');
      this.#keysSum = addElement(this.#keysSum, this.#integrity.elements(macs));
      const texts = macText(macs);
      for (const [at, { kind }] of part.entries()) {
        this.#marks.push(macAt(texts, at));
        this.#keyCounts[kind] = (this.#keyCounts[kind] ?? 0) + 1;
      }
      this.#bytes += part.length * KEY_BYTES;
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
  }

  async finish(head: Head): Promise<Snapshot> {
    const { version, mac } = head;
    const organizationId = this.#organizationId;
    const records = forEachKind((kind) => this.#records[kind].finish()) as Records;
    if (!records.organization.has(organizationId))
      throw tampered(this.#alarm, organizationId, 'the record of the organization itself is missing');
    if (!macsEqual(this.#integrity.head(organizationId, version, this.#recordsSum, this.#keysSum), mac)) {
      throw tampered(
        this.#alarm,
        organizationId,
        'a record, wallet or private key was removed, added or rolled back to an older state, or the version was edited',
      );
    }
    const content: Content = {
      records,
      policyRevisions: this.#policyRevisions.finish(),
      macs: forEachKind((kind) => this.#macs[kind].finish()),
      recordsSum: this.#recordsSum,
      keysSum: this.#keysSum,
      keys: await inSlices(mapOfMarks(this.#marks), this.#endSlice),
      keyCounts: this.#keyCounts,
      bytes: this.#bytes,
    };
    await inSlices(indexCredentials(records.apiKey, records.authenticator), this.#endSlice);
    return buildSnapshot(organizationId, { version, mac }, content);
  }
}

/** The MAC at an index of concatenated MACs, as text. */
function macAt(texts: string, at: number): string {
  return texts.slice(at * MAC_BYTES, (at + 1) * MAC_BYTES);
}

function* mapOfMarks(marks: readonly string[]): Steps<PersistentMap<true>> {
  const sorted = yield* sortedInSteps(marks);
  const map = PersistentMap.builder<true>();
  for (let from = 0; from < sorted.length; from += STEP_ROWS) {
    const part = sorted.slice(from, from + STEP_ROWS);
    map.add(
      part,
      part.map(() => true as const),
    );
    yield undefined;
  }
  return map.finish();
}
