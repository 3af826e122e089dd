import type { CountedUsage } from '../log/entry.ts';
import { macDigest, usageKeyHex } from '../log/logged-step.ts';
import type { UsageHead } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { SendRecord } from './send-record.ts';

/** A key of a transaction, and how the head map of the log names the newest transaction with it. */
export interface LoggedKey {
  /** No spending limit has a bucket of such a name. */
  readonly bucket: string;
  readonly head: UsageHead;
}

export const nameBucket = (requestKey: string): string => `sent-name:${requestKey}`;
export const bytesBucket = (bytesKey: string): string => `sent-bytes:${bytesKey}`;

/** Names the transaction, and nothing of it that changes. */
const pointOf = (id: string): Uint8Array => Buffer.from(id);

type Keys = Pick<SendRecord, 'id' | 'requestKey' | 'nameUses' | 'bytesKey'>;

/** The keys of a transaction that the log has. A name can be used again after a day, and bytes never. */
export function loggedKeys({ id, requestKey, nameUses, bytesKey }: Keys): readonly LoggedKey[] {
  const mac = pointOf(id);
  return [
    ...(nameUses === undefined ? [] : [{ bucket: nameBucket(requestKey), head: { revision: nameUses, mac } }]),
    ...(bytesKey === '' ? [] : [{ bucket: bytesBucket(bytesKey), head: { revision: 1, mac } }]),
  ];
}

/**
 * The keys of a new transaction, as its log entry names them. `namedBefore` is the id of the last transaction with its name, if the log has it.
 * SECURITY: D948: the head map of the log then names every key that was used, so a deleted or hidden row is noticed when its key comes again.
 */
export function keysToLog(
  integrity: Integrity,
  organizationId: string,
  send: Keys,
  namedBefore: string | undefined,
): readonly CountedUsage[] {
  return loggedKeys(send).map(({ bucket, head }) => [
    usageKeyHex(integrity, organizationId, bucket),
    head.revision,
    macDigest(head.mac),
    head.revision === 1 || namedBefore === undefined ? '' : macDigest(pointOf(namedBefore)),
  ]);
}
