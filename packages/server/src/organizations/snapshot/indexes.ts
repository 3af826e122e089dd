import { lookalikeKeys } from '@countersign/chains';
import { indexedBy, PersistentMap } from '@countersign/collections';
import type {
  ApiKeyRecord,
  ContactRecord,
  EvictedKeysRecord,
  InvitationRecord,
  OauthProviderRecord,
  PolicyRecord,
  SessionOrigin,
  TagRecord,
  TokenRecord,
  UserRecord,
} from '../records.ts';

// Indexes of records. Each is maintained incrementally with the organization, so a lookup never scans other records.

export const usersByName = indexedBy(({ userName }: UserRecord) => [userName]);
export const policiesByName = indexedBy(({ policyName }: PolicyRecord) => [policyName]);
export const tagsByName = indexedBy(({ tagName }: TagRecord) => [tagName]);
export const contactsByAddress = indexedBy(({ address }: ContactRecord) => [address]);
export const tokensByAsset = indexedBy(({ asset }: TokenRecord) => [asset]);
/** Tokens by network and by the keys of their symbols. */
export const tokensBySymbol = indexedBy(({ asset, symbol }: TokenRecord) => symbolKeys(asset, symbol));

/** The keys of a symbol on the network of its asset. */
export function symbolKeys(asset: string, symbol: string): readonly string[] {
  const [network = ''] = asset.split('/');
  return lookalikeKeys(symbol).map((key) => `${network} ${key}`);
}
export const invitationsByReceiver = indexedBy(({ receiverUserId }: InvitationRecord) => [receiverUserId]);
/** One-time keys by the object that they are restricted to. */
export const keysBySubject = indexedBy(({ restrictedTo }: ApiKeyRecord) =>
  restrictedTo === undefined ? [] : [restrictedTo.subjectId],
);
/** RPC keys by what callers present. */
export const rpcKeysByPresented = indexedBy(({ presents }: ApiKeyRecord) => (presents === undefined ? [] : [presents]));
/** Evictions by the public keys of the evicted API keys. */
export const evictionsByPublicKey = indexedBy(({ publicKeys }: EvictedKeysRecord) => publicKeys);
/** OpenID Connect links by `identityKey`. */
export const providersByIdentity = indexedBy((provider: OauthProviderRecord) => [identityKey(provider)]);

/** A unique key for an OpenID Connect identity. Two keys are equal only if issuer, audience and subject are. */
export function identityKey({ issuer, audience, subject }: Pick<OauthProviderRecord, 'issuer' | 'audience' | 'subject'>): string {
  return JSON.stringify([issuer, audience, subject]);
}

interface Opened {
  readonly origin?: SessionOrigin;
}
const byOpener = indexedBy(({ origin }: Opened) => origin?.openedBy ?? []);

/** The sessions that a credential opened. */
export function openedWith<T extends Opened>(sessions: ReadonlyMap<string, T>, credentialId: string): ReadonlyMap<string, T> {
  return (byOpener(sessions).get(credentialId) as ReadonlyMap<string, T> | undefined) ?? none;
}

interface Sent {
  readonly messageId?: string;
}
const byMessage = indexedBy(({ messageId }: Sent) => (messageId === undefined ? [] : [messageId]));

/** The keys or codes that a message contained. */
export function sentWith<T extends Sent>(all: ReadonlyMap<string, T>, messageId: string): ReadonlyMap<string, T> {
  return (byMessage(all).get(messageId) as ReadonlyMap<string, T> | undefined) ?? none;
}

const none = PersistentMap.empty<never>();

/** Names that are in use: those of the organization, and those that were added. */
export interface Taken {
  has(text: string): boolean;
  add(text: string): void;
}

/** Tracks names that are in use. `stored` contains those of the organization and is not copied. */
export function takenIn(stored: Pick<ReadonlyMap<string, unknown>, 'has'>): Taken {
  const added = new Set<string>();
  return {
    has: (text) => added.has(text) || stored.has(text),
    add: (text) => {
      added.add(text);
    },
  };
}
