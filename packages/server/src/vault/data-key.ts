import { VaultError } from './errors.ts';
import { encodeFields } from './integrity/keyed-hash.ts';
import type { Secret } from './keys/secret.ts';
import type { RootKey } from './root-key/root-key.ts';

/** An organization's data key, as stored. */
export interface WrappedDataKey {
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: Uint8Array;
}

const associatedData = (organizationId: string, rootKeyId: string) =>
  encodeFields('countersign/data-key/v1', organizationId, rootKeyId);

/** Wraps an organization's data key, bound to the organization and to the root key. */
export async function wrapDataKey(rootKey: RootKey, organizationId: string, key: Secret): Promise<WrappedDataKey> {
  return {
    organizationId,
    rootKeyId: rootKey.id,
    wrapped: await rootKey.wrap(key.bytes, associatedData(organizationId, rootKey.id)),
  };
}

/** Throws VaultError unless `wrapDataKey` made the row for this organization and root key. */
export async function unwrapDataKey(rootKey: RootKey, { organizationId, rootKeyId, wrapped }: WrappedDataKey): Promise<Secret> {
  const key = await rootKey.unwrap(wrapped, associatedData(organizationId, rootKeyId));
  if (key === undefined) {
    throw new VaultError(
      `the data key of organization ${organizationId} was not wrapped by root key ${rootKeyId}: its row was altered or moved`,
      'find out who changed the database, and restore the row from a backup',
    );
  }
  return key;
}
