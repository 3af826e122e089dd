import { indexedBy, PersistentMap } from '@countersign/policy';
import { derived } from './derived.ts';
import { MappedView } from './mapped-view.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from './records.ts';

interface Held {
  readonly userId: string;
}

const byHolder = indexedBy<Held>(({ userId }) => [userId]);
const none = PersistentMap.empty<never>();

/** What a user holds of a kind of record, such as API keys. It takes no look at what other users hold. */
export function heldBy<T extends Held>(all: ReadonlyMap<string, T>, userId: string): ReadonlyMap<string, T> {
  return (byHolder(all).get(userId) as ReadonlyMap<string, T> | undefined) ?? none;
}

/** Ids of API keys by canonical public key. */
export const idByPublicKey = idByText(({ publicKey }: ApiKeyRecord) => publicKey);
/** Ids of authenticators by credential id. */
export const idByCredentialId = idByText(({ credentialId }: AuthenticatorRecord) => credentialId);

/** Ids by a text that no two records share. If two do share it, the later id stands for both. */
function idByText<T>(textOf: (record: T) => string): (all: ReadonlyMap<string, T>) => ReadonlyMap<string, string> {
  const index = indexedBy((record: T) => [textOf(record)]);
  return derived((all: ReadonlyMap<string, T>) => new MappedView(index(all), (sharing) => [...sharing.keys()].at(-1) as string));
}
