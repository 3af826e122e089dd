import { type Derived, type Index, indexedBy, PersistentMap, type Steps } from '@countersign/policy';
import { MappedView } from './mapped-view.ts';
import { memoizeByRef } from './memoize-by-ref.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from './records.ts';

interface Held {
  readonly userId: string;
}

const byHolder = indexedBy<Held>(({ userId }) => [userId]);
const none = PersistentMap.empty<never>();

/** What a user holds of a kind of record, such as API keys. It takes no look at what other users hold. */
export function credentialsOfUser<T extends Held>(all: ReadonlyMap<string, T>, userId: string): ReadonlyMap<string, T> {
  return (byHolder(all).get(userId) as ReadonlyMap<string, T> | undefined) ?? none;
}

const byPublicKey = indexedBy(({ publicKey }: ApiKeyRecord) => [publicKey]);
const byCredentialId = indexedBy(({ credentialId }: AuthenticatorRecord) => [credentialId]);

/** Ids of API keys by canonical public key. */
export const idByPublicKey = idByText(byPublicKey);
/** Ids of authenticators by credential id. */
export const idByCredentialId = idByText(byCredentialId);

/**
 * Makes what every request looks up of credentials, in steps. Otherwise the first request would make it at once.
 */
export function* indexCredentials(
  apiKeys: ReadonlyMap<string, ApiKeyRecord>,
  authenticators: ReadonlyMap<string, AuthenticatorRecord>,
): Steps<undefined> {
  yield* byPublicKey.inSteps(apiKeys);
  yield* byCredentialId.inSteps(authenticators);
  yield* byHolder.inSteps(apiKeys);
  yield* byHolder.inSteps(authenticators);
  return undefined;
}

/** Ids by a text that no two records share. If two do share it, the later id stands for both. */
function idByText<T>(index: Derived<T, Index<T>>): (all: ReadonlyMap<string, T>) => ReadonlyMap<string, string> {
  return memoizeByRef(
    (all: ReadonlyMap<string, T>) => new MappedView(index(all), (sharing) => [...sharing.keys()].at(-1) as string),
  );
}
