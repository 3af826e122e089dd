import { toBase64url } from './base64url.ts';
import { compressedPoint, derSignature } from './p256-forms.ts';
import type { Stamp, Stamper } from './stamper.ts';

/** Storage of a session's key pair. */
export interface KeyShelf {
  get(): Promise<CryptoKeyPair | undefined>;
  put(pair: CryptoKeyPair): Promise<void>;
  clear(): Promise<void>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * Stamps bodies with a P-256 key that never leaves the browser: it is a non-extractable WebCrypto key, so no script can read it.
 * Register its `publicKey` with `stampLogin`, then create a client with this stamper.
 */
export class SessionStamper implements Stamper {
  /** Hexadecimal, compressed: the form that `stampLogin` takes. */
  readonly publicKey: string;
  readonly #privateKey: CryptoKey;
  readonly #shelf: KeyShelf;

  private constructor(publicKey: string, privateKey: CryptoKey, shelf: KeyShelf) {
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
    this.#shelf = shelf;
  }

  /** Opens the session in the storage, or creates one. The default storage is IndexedDB. */
  static async open(shelf: KeyShelf = browserShelf()): Promise<SessionStamper> {
    const kept = await shelf.get();
    const pair = kept ?? (await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']));
    if (kept === undefined) await shelf.put(pair);
    const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
    return new SessionStamper(compressedPoint(point), pair.privateKey, shelf);
  }

  async stamp(body: string): Promise<Stamp> {
    const bytes = new TextEncoder().encode(body);
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, this.#privateKey, bytes);
    const stamp = {
      publicKey: this.publicKey,
      scheme: 'SIGNATURE_SCHEME_TK_API_P256',
      signature: derSignature(new Uint8Array(signature)),
    };
    return { stampHeaderName: 'X-Stamp', stampHeaderValue: toBase64url(new TextEncoder().encode(JSON.stringify(stamp))) };
  }

  /** Deletes the key. Also end the session at the service with `deleteApiKeys`, so that a copy of the disk cannot restore it. */
  forget(): Promise<void> {
    return this.#shelf.clear();
  }
}

/** Stores one key pair in IndexedDB. `name` distinguishes the sessions of one page. */
export function browserShelf(name = 'session'): KeyShelf {
  return {
    get: () => inStore('readonly', (store) => store.get(name)) as Promise<CryptoKeyPair | undefined>,
    put: async (pair) => void (await inStore('readwrite', (store) => store.put(pair, name))),
    clear: async () => void (await inStore('readwrite', (store) => store.delete(name))),
  };
}

async function inStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open('countersign', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
  const database = (await settled(opening)) as IDBDatabase;
  try {
    return await settled(work(database.transaction('keys', mode).objectStore('keys')));
  } finally {
    database.close();
  }
}

function settled(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
