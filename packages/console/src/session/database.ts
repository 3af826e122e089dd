import type { KeyShelf } from '@countersign/client';

/** Stored session data without secrets: the key is in the database of the client, and no script can read it. */
export interface RememberedSession {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly userId: string;
  readonly userName: string;
  readonly expiresAtMs: number;
  /** The profile that limits the session. */
  readonly sessionProfileId: string | undefined;
  /** The credential id of the passkey that opened the session. Absent after another sign-in. */
  readonly openedWith?: string | undefined;
}

const NAME = 'countersign-console';
const STORE = 'values';

async function inStore<T>(
  database: string,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const opened = await settled(opening);
  try {
    return await settled(work(opened.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    opened.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export function rememberedSession(): Promise<RememberedSession | undefined> {
  return inStore(NAME, 'readonly', (store) => store.get('session'));
}

export async function rememberSession(session: RememberedSession): Promise<void> {
  await inStore(NAME, 'readwrite', (store) => store.put(session, 'session'));
}

/** Encrypted data of a session. No script can read the key, but scripts of this page can use it. */
interface SealedInbox {
  readonly key: CryptoKey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

const INBOX = 'inbox';

export function rememberedInbox(): Promise<SealedInbox | undefined> {
  return inStore(NAME, 'readonly', (store) => store.get(INBOX));
}

/** Stores the inbox of a session. INVARIANT: only while that session is remembered, so that nothing is stored after it was wiped. */
export async function rememberInbox({ userId, expiresAtMs }: RememberedSession, inbox: SealedInbox): Promise<void> {
  await inStore(NAME, 'readwrite', (store) => {
    const reading: IDBRequest<RememberedSession | undefined> = store.get('session');
    reading.addEventListener('success', () => {
      const current = reading.result;
      if (current?.userId === userId && current.expiresAtMs === expiresAtMs) store.put(inbox, INBOX);
    });
    return reading;
  });
}

export async function forgetInbox(): Promise<void> {
  await inStore(NAME, 'readwrite', (store) => store.delete(INBOX));
}

/** A pending sign-in at an issuer. */
export interface PendingSignIn {
  /** Expected state of the response. */
  readonly state: string;
  /** Expected issuer of the response. */
  readonly issuer: string;
  readonly organizationId: string;
  readonly startedAtMs: number;
  /** Present if the identity is to be linked to a person who is signed in: the person, and the passkey that the token is bound to. */
  readonly link?: { readonly userId: string; readonly credentialId: string };
}

export async function rememberPending(pending: PendingSignIn): Promise<void> {
  await inStore(NAME, 'readwrite', (store) => store.put(pending, 'pending'));
}

/** Returns and deletes the pending sign-in. */
export async function takePending(): Promise<PendingSignIn | undefined> {
  const pending: PendingSignIn | undefined = await inStore(NAME, 'readonly', (store) => store.get('pending'));
  await inStore(NAME, 'readwrite', (store) => store.delete('pending'));
  return pending;
}

/** Deletes the key and all stored data of a session. */
export async function wipeSession(): Promise<void> {
  for (const name of [NAME, 'countersign']) {
    await new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = () => resolve();
      deleting.onerror = () => reject(deleting.error);
      // Another tab still uses it. It is deleted when that tab closes it.
      deleting.onblocked = () => resolve();
    });
  }
}

const PREFERENCES = 'countersign-preferences';

export function preference(name: string): Promise<string | undefined> {
  return inStore(PREFERENCES, 'readonly', (store) => store.get(name));
}

export async function setPreference(name: string, value: string): Promise<void> {
  await inStore(PREFERENCES, 'readwrite', (store) => store.put(value, name));
}

/** Preference key of the last organization that was used with email or an issuer. */
export const ORGANIZATION = 'organization';

const LINKS = 'countersign-links';

/** Storage of the key that was exchanged for that of a link. Signing out does not delete it: the link has no other key. */
export function linkShelf(publicKey: string): KeyShelf {
  return {
    get: () => inStore(LINKS, 'readonly', (store) => store.get(publicKey)),
    put: async (pair) => void (await inStore(LINKS, 'readwrite', (store) => store.put(pair, publicKey))),
    clear: async () => void (await inStore(LINKS, 'readwrite', (store) => store.delete(publicKey))),
  };
}

/** A recovery that this browser requested. The email is encrypted to the public key. */
export interface RecoveryRequest {
  readonly organizationId: string;
  readonly targetPublicKey: string;
  readonly targetPrivateKey: string;
}

const RECOVERY = 'recovery';

export function rememberedRecovery(): Promise<RecoveryRequest | undefined> {
  return inStore(LINKS, 'readonly', (store) => store.get(RECOVERY));
}

export async function rememberRecovery(request: RecoveryRequest): Promise<void> {
  await inStore(LINKS, 'readwrite', (store) => store.put(request, RECOVERY));
}

export async function forgetRecovery(): Promise<void> {
  await inStore(LINKS, 'readwrite', (store) => store.delete(RECOVERY));
}
