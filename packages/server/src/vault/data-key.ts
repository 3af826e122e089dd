import type { DataKeyRow } from '../store/rows.ts';
import { VaultError } from './errors.ts';
import { encodeFields } from './integrity/keyed-hash.ts';
import type { Secret } from './keys/secret.ts';
import type { RootKey } from './root-key/root-key.ts';

/** An organization's data key, as stored. Without a generation, it is the first one. */
export interface WrappedDataKey {
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: Uint8Array;
  readonly generation?: number;
}

/**
 * SECURITY: the data key before the present one has another label, and a later key its generation. So rows with keys that were put back or
 * exchanged do not open.
 */
function associatedData(organizationId: string, rootKeyId: string, generation: number, isPrevious: boolean): string {
  if (isPrevious) return encodeFields('countersign/previous-data-key/v1', organizationId, rootKeyId, `${generation}`);
  return generation === 0
    ? encodeFields('countersign/data-key/v1', organizationId, rootKeyId)
    : encodeFields('countersign/data-key/v2', organizationId, rootKeyId, `${generation}`);
}

/** Wraps an organization's data key, bound to the organization and to the root key. */
export async function wrapDataKey(
  rootKey: RootKey,
  organizationId: string,
  key: Secret,
  generation = 0,
): Promise<WrappedDataKey & Pick<DataKeyRow, 'generation'>> {
  const context = associatedData(organizationId, rootKey.id, generation, false);
  return { organizationId, rootKeyId: rootKey.id, generation, wrapped: await rootKey.wrap(key.bytes, context) };
}

/** Throws VaultError unless `wrapDataKey` made the row for this organization and root key. */
export async function unwrapDataKey(rootKey: RootKey, row: WrappedDataKey): Promise<Secret> {
  return unwrap(rootKey, row, row.wrapped, false);
}

async function unwrap(
  rootKey: RootKey,
  { organizationId, rootKeyId, generation = 0 }: WrappedDataKey,
  wrapped: Uint8Array,
  isPrevious: boolean,
): Promise<Secret> {
  const key = await rootKey.unwrap(wrapped, associatedData(organizationId, rootKeyId, generation, isPrevious));
  if (key === undefined) {
    throw new VaultError(
      `the data key of organization ${organizationId} was not wrapped by root key ${rootKeyId}: its row was altered or moved`,
      'find out who changed the database, and restore the row from a backup',
    );
  }
  return key;
}

/** The data keys of an organization: the present one, and the one before it while secrets are encrypted under both. */
export class DataKeys {
  readonly generation: number;
  readonly present: Secret;
  readonly previous: Secret | undefined;

  constructor(generation: number, present: Secret, previous?: Secret) {
    this.generation = generation;
    this.present = present;
    this.previous = previous;
  }

  /** Throws VaultError unless the root key wrapped the row. */
  static async open(rootKey: RootKey, row: DataKeyRow): Promise<DataKeys> {
    const present = await unwrapDataKey(rootKey, row);
    if (row.previous.length === 0) return new DataKeys(row.generation, present);
    try {
      return new DataKeys(row.generation, present, await unwrap(rootKey, row, row.previous, true));
    } catch (error) {
      present.wipe();
      throw error;
    }
  }

  async wrap(rootKey: RootKey, organizationId: string): Promise<DataKeyRow> {
    const { generation, present, previous } = this;
    const context = associatedData(organizationId, rootKey.id, generation, true);
    return {
      ...(await wrapDataKey(rootKey, organizationId, present, generation)),
      previous: previous === undefined ? new Uint8Array() : await rootKey.wrap(previous.bytes, context),
    };
  }

  /** Whether both have the same keys. */
  equals(other: DataKeys): boolean {
    const same = (a?: Secret, b?: Secret) =>
      a === undefined || b === undefined ? a === b : Buffer.compare(a.bytes, b.bytes) === 0;
    return same(this.present, other.present) && same(this.previous, other.previous);
  }

  wipe(): void {
    this.present.wipe();
    this.previous?.wipe();
  }
}
