import type { PersistentMap } from '@countersign/collections';
import { addElement, subtractElement } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { RecordKind } from '../records.ts';
import { type Content, macBytes, macText, type Records } from './snapshot.ts';
import { KEY_BYTES, recordBytes } from './snapshot-bytes.ts';

export interface EditedRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly body: unknown;
  /** Length of the body as text. */
  readonly characters: number;
  readonly mac: Uint8Array;
  readonly writtenBy: number;
}

/**
 * Derives the next content of an organization from the present one, which stays as it is.
 * INVARIANT: every record, wallet and private key is added to, or subtracted from, the sums that a head authenticates.
 */
export class ContentEditor {
  readonly #integrity: Integrity;
  readonly #records: { [K in RecordKind]: PersistentMap<unknown> };
  readonly #macs: { [K in RecordKind]: PersistentMap<string> };
  readonly #keyCounts: Record<string, number>;
  #policyRevisions: PersistentMap<number>;
  #keys: PersistentMap<true>;
  #bytes: number;
  recordsSum: bigint;
  keysSum: bigint;

  constructor(integrity: Integrity, from: Content) {
    this.#integrity = integrity;
    this.#records = { ...from.records };
    this.#macs = { ...from.macs };
    this.#keyCounts = { ...from.keyCounts };
    this.#policyRevisions = from.policyRevisions;
    this.#keys = from.keys;
    this.#bytes = from.bytes;
    this.recordsSum = from.recordsSum;
    this.keysSum = from.keysSum;
  }

  putRecord({ kind, id, body, characters, mac, writtenBy }: EditedRecord): void {
    this.#subtract(kind, id);
    this.recordsSum = addElement(this.recordsSum, this.#integrity.element(mac));
    this.#bytes += recordBytes(kind, characters);
    this.#records[kind] = this.#records[kind].with(id, body);
    this.#macs[kind] = this.#macs[kind].with(id, macText(mac));
    if (kind === 'policy') this.#policyRevisions = this.#policyRevisions.with(id, writtenBy);
  }

  /** Returns false if there is no such record. */
  deleteRecord(kind: RecordKind, id: string): boolean {
    if (!this.#subtract(kind, id)) return false;
    this.#records[kind] = this.#records[kind].without(id);
    this.#macs[kind] = this.#macs[kind].without(id);
    if (kind === 'policy') this.#policyRevisions = this.#policyRevisions.without(id);
    return true;
  }

  hasKey(mac: Uint8Array): boolean {
    return this.#keys.has(macText(mac));
  }

  addKey(kind: string, mac: Uint8Array): void {
    this.keysSum = addElement(this.keysSum, this.#integrity.element(mac));
    this.#keys = this.#keys.with(macText(mac), true);
    this.#countKey(kind, 1);
  }

  removeKey(kind: string, mac: Uint8Array): void {
    this.keysSum = subtractElement(this.keysSum, this.#integrity.element(mac));
    this.#keys = this.#keys.without(macText(mac));
    this.#countKey(kind, -1);
  }

  finish(): Content {
    return {
      records: this.#records as Records,
      policyRevisions: this.#policyRevisions,
      macs: this.#macs,
      recordsSum: this.recordsSum,
      keysSum: this.keysSum,
      keys: this.#keys,
      keyCounts: this.#keyCounts,
      bytes: this.#bytes,
    };
  }

  /** Takes a record out of the sum and the size, if there is one. */
  #subtract(kind: RecordKind, id: string): boolean {
    const mac = this.#macs[kind].get(id);
    if (mac === undefined) return false;
    this.recordsSum = subtractElement(this.recordsSum, this.#integrity.element(macBytes(mac)));
    this.#bytes -= recordBytes(kind, JSON.stringify(this.#records[kind].get(id)).length);
    return true;
  }

  #countKey(kind: string, by: number): void {
    this.#keyCounts[kind] = (this.#keyCounts[kind] ?? 0) + by;
    this.#bytes += by * KEY_BYTES;
  }
}
