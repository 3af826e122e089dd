import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SettingRow } from '../../store/rows.ts';
import { VaultError } from '../errors.ts';
import { Secret } from '../keys/secret.ts';
import type { RootKey } from '../root-key/root-key.ts';
import { encodeFields } from './keyed-hash.ts';

/** The setting that holds the wrapped integrity key. Its root key id names the root key of the database. */
export const INTEGRITY_KEY_SETTING = 'vault.integrity-key';

const body = z.strictObject({
  version: z.literal(1),
  rootKeyId: z.string(),
  previousRootKeyId: z.string().optional(),
  wrapped: z.base64(),
});

/** The integrity key, as stored. */
export interface WrappedIntegrityKey {
  readonly rootKeyId: string;
  /** The root key before the last rotation, if there was one. */
  readonly previousRootKeyId: string | undefined;
  readonly wrapped: Uint8Array;
}

const associatedData = (rootKeyId: string) => encodeFields('countersign/integrity-key/v1', rootKeyId);

const damaged = (rootKeyId: string) =>
  new VaultError(
    `the integrity key in this database was not wrapped by root key ${rootKeyId}: its row was altered`,
    `find out who changed the database, and restore the setting ${INTEGRITY_KEY_SETTING} from a backup`,
  );

export function generateIntegrityKey(): Secret {
  return new Secret(randomBytes(32));
}

/** The setting to store. A rotation names the root key that it replaces. */
export async function wrapIntegrityKey(rootKey: RootKey, key: Secret, previousRootKeyId?: string): Promise<SettingRow> {
  const wrapped = Buffer.from(await rootKey.wrap(key.bytes, associatedData(rootKey.id))).toString('base64');
  const content: z.input<typeof body> = { version: 1, rootKeyId: rootKey.id, previousRootKeyId, wrapped };
  return { name: INTEGRITY_KEY_SETTING, body: JSON.stringify(content) };
}

/** Reads the stored setting. Throws VaultError unless it has the form that `wrapIntegrityKey` writes. */
export function parseIntegrityKey(setting: SettingRow): WrappedIntegrityKey {
  const content = body.safeParse(toJson(setting.body));
  if (!content.success) throw damaged('unknown');
  const { rootKeyId, previousRootKeyId, wrapped } = content.data;
  return { rootKeyId, previousRootKeyId, wrapped: Buffer.from(wrapped, 'base64') };
}

/** Throws VaultError unless the root key wrapped the bytes. */
export async function unwrapIntegrityKey(rootKey: RootKey, { rootKeyId, wrapped }: WrappedIntegrityKey): Promise<Secret> {
  const key = await rootKey.unwrap(wrapped, associatedData(rootKeyId));
  if (key === undefined) throw damaged(rootKeyId);
  return key;
}

/** Recognizes the key without holding it. */
export function recognize(key: Secret): (other: Secret) => boolean {
  const digest = ({ bytes }: Secret) =>
    createHash('sha256').update(encodeFields('countersign/integrity-key-check/v1')).update(bytes).digest();
  const known = digest(key);
  return (other) => timingSafeEqual(known, digest(other));
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema refuses undefined, and that error names the fix.
    return undefined;
  }
}
