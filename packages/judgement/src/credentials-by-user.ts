import {
  type Derived,
  type Index,
  indexedBy,
  MappedView,
  memoizeByRef,
  PersistentMap,
  type Steps,
} from '@countersign/collections';
import type { ApiKeyRecord, AuthenticatorRecord } from './records.ts';

interface Held {
  readonly userId: string;
}

const byHolder = indexedBy<Held>(({ userId }) => [userId]);
const none = PersistentMap.empty<never>();

/** The records of one kind that belong to a user, such as API keys. The cost does not depend on the records of other users. */
export function credentialsOfUser<T extends Held>(all: ReadonlyMap<string, T>, userId: string): ReadonlyMap<string, T> {
  return (byHolder(all).get(userId) as ReadonlyMap<string, T> | undefined) ?? none;
}

const byPublicKey = indexedBy(({ publicKey }: ApiKeyRecord) => [publicKey]);
const byCredentialId = indexedBy(({ credentialId }: AuthenticatorRecord) => [credentialId]);

/** Ids of API keys by canonical public key. */
export const idByPublicKey = idByText(byPublicKey);
/** Ids of authenticators by credential id. */
export const idByCredentialId = idByText(byCredentialId);

/** Builds the credential indexes in steps, so that the first request does not build them in one go. */
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

/** Ids by a unique text. If two records share it, the later id wins. */
function idByText<T>(index: Derived<T, Index<T>>): (all: ReadonlyMap<string, T>) => ReadonlyMap<string, string> {
  return memoizeByRef(
    (all: ReadonlyMap<string, T>) => new MappedView(index(all), (sharing) => [...sharing.keys()].at(-1) as string),
  );
}
