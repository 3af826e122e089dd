import { ServiceError } from '@countersign/contract';
import { PersistentMap } from '@countersign/policy';
import type { KeyRow, RecordRow } from '../store/rows.ts';
import type { Head, Place, Store } from '../store/store.ts';
import { addElement, macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { type RecordKind, recordKinds } from './records.ts';
import { createSlices, type EndSlice } from './slices.ts';
import { buildSnapshot, type Content, entryKey, keyMark, type Records, type Snapshot } from './snapshot.ts';
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

/** How many rows are read at once. An organization with fewer is read at one instant. */
const PAGE_ROWS = 1_000;
/** How often to read again an organization that others change meanwhile. After that it is read at one instant, however large it is. */
const MAX_READS = 4;

/**
 * Reads an organization and checks it as a whole, in slices: others are served while a large one is read.
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
      await reading.readOn((after) => store.recordsAfter(organizationId, after, PAGE_ROWS), 'records', stored.records.at(-1));
      await reading.readOn((after) => store.keysAfter(organizationId, after, PAGE_ROWS), 'keys', stored.keys.at(-1));
      // INVARIANT: the head moves with every change of what was read. Where it stands still, the pages are of one instant.
      const now = await store.head(organizationId);
      if (now?.version !== stored.head.version || !macsEqual(now.mac, stored.head.mac)) continue;
    }
    return reading.finish(stored.head);
  }
}

/** An organization that is being read: checked rows so far, and their sums. */
class Reading {
  readonly #integrity: Integrity;
  readonly #alarm: Alarm;
  readonly #organizationId: string;
  readonly #endSlice: EndSlice = createSlices();
  readonly #records = new Map<RecordKind, [string, unknown][]>(recordKinds.map((kind) => [kind, []]));
  readonly #macs: [string, Uint8Array][] = [];
  /** Marks by their first character. They come in no order, and small parts are sorted one by one. */
  readonly #marks: [string, true][][] = Array.from({ length: 256 }, () => []);
  #recordsSum = 0n;
  #keysSum = 0n;
  readonly #keyCounts: Record<string, number> = {};
  #bytes = 0;

  constructor(integrity: Integrity, alarm: Alarm, organizationId: string) {
    this.#integrity = integrity;
    this.#alarm = alarm;
    this.#organizationId = organizationId;
  }

  async readOn<R extends Place>(
    read: (after: Place) => Promise<readonly R[]>,
    what: 'records' | 'keys',
    last: Place | undefined,
  ): Promise<void> {
    for (let after = last; after !== undefined; ) {
      const rows: readonly R[] = await read(after);
      if (what === 'records') await this.addRecords(rows as unknown as readonly RecordRow[]);
      else await this.addKeys(rows as unknown as readonly KeyRow[]);
      after = rows.at(-1);
    }
  }

  async addRecords(rows: readonly RecordRow[]): Promise<void> {
    for (const row of rows) {
      const { kind, id, mac, body } = row;
      if (!verifies(this.#integrity, row))
        throw tampered(this.#alarm, this.#organizationId, `the ${kind} record ${id} was changed or inserted outside the service`);
      this.#recordsSum = addElement(this.#recordsSum, this.#integrity.element(mac));
      this.#records.get(kind as RecordKind)?.push([id, JSON.parse(body)]);
      this.#macs.push([entryKey(kind, id), mac]);
      this.#bytes += recordBytes(kind as RecordKind, body.length);
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
  }

  async addKeys(rows: readonly KeyRow[]): Promise<void> {
    for (const { kind, mac } of rows) {
      this.#keysSum = addElement(this.#keysSum, this.#integrity.element(mac));
      this.#marks[mac[0] ?? 0]?.push([keyMark(mac), true]);
      this.#keyCounts[kind] = (this.#keyCounts[kind] ?? 0) + 1;
      this.#bytes += KEY_BYTES;
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
  }

  async finish(head: Head): Promise<Snapshot> {
    const { version, mac } = head;
    const organizationId = this.#organizationId;
    if (this.#records.get('organization')?.some(([id]) => id === organizationId) !== true)
      throw tampered(this.#alarm, organizationId, 'the record of the organization itself is missing');
    if (!macsEqual(this.#integrity.head(organizationId, version, this.#recordsSum, this.#keysSum), mac)) {
      throw tampered(
        this.#alarm,
        organizationId,
        'a record, wallet or private key was removed, added or put back to an older state, or the version was edited',
      );
    }
    const records: Partial<Record<RecordKind, PersistentMap<unknown>>> = {};
    for (const [kind, entries] of this.#records) {
      records[kind] = PersistentMap.from(entries);
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
    const marks: [string, true][] = [];
    for (const part of this.#marks) {
      for (const mark of part.sort(([a], [b]) => (a < b ? -1 : 1))) marks.push(mark);
      const pause = this.#endSlice();
      if (pause !== undefined) await pause;
    }
    const content: Content = {
      records: records as Records,
      macs: PersistentMap.from(this.#macs),
      recordsSum: this.#recordsSum,
      keysSum: this.#keysSum,
      keys: PersistentMap.from(marks),
      keyCounts: this.#keyCounts,
      bytes: this.#bytes,
    };
    return buildSnapshot(organizationId, { version, mac }, content);
  }
}

function verifies(integrity: Integrity, { organizationId, kind, id, body, mac }: RecordRow): boolean {
  return recordKinds.includes(kind as RecordKind) && macsEqual(integrity.row('records', organizationId, kind, id, body), mac);
}
