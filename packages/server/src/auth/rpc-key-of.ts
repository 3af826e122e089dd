import { expired } from '@countersign/judgement';
import type { ApiKeyRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';

/** A key that a token or a certificate stands for. */
export type RpcKeyRecord = ApiKeyRecord & { readonly presents: string };

/** An RPC key of a user that has not expired. Undefined without one. */
export function rpcKeyOf({ apiKeys }: Pick<Snapshot, 'apiKeys'>, userId: string, nowMs: number): RpcKeyRecord | undefined {
  const isUsable = (key: ApiKeyRecord): key is RpcKeyRecord =>
    key.userId === userId && key.presents !== undefined && !expired(key, nowMs);
  return [...apiKeys.values()].find(isUsable);
}
