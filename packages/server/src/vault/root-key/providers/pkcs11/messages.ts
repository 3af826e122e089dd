import type { Pkcs11Key } from './uri.ts';

/** A call of the thread that uses the PKCS #11 library. */
export type TokenCall =
  | { readonly op: 'keys' }
  | { readonly op: 'generate' }
  | { readonly op: 'encrypt'; readonly keyId: string; readonly plain: Uint8Array; readonly associatedData: string }
  | { readonly op: 'decrypt'; readonly keyId: string; readonly wrapped: Uint8Array; readonly associatedData: string }
  | { readonly op: 'close' };

/** A key of the token. */
export interface TokenKey {
  /** CKA_ID in hex. */
  readonly keyId: string;
  /** Why the key must not be used. */
  readonly objection?: string;
}

/** The result of a call. `decrypt` returns undefined unless this key encrypted the bytes with this associated data. */
export interface TokenResults {
  keys: readonly TokenKey[];
  generate: string;
  encrypt: Uint8Array;
  decrypt: Uint8Array | undefined;
  close: undefined;
}

export interface ToThread {
  readonly callId: number;
  readonly key: Pkcs11Key;
  readonly call: TokenCall;
}

export type FromThread =
  | { readonly callId: number; readonly result: TokenResults[TokenCall['op']] }
  | { readonly callId: number; readonly message: string; readonly fix: string };

/** What the thread gets when it starts. */
export interface ThreadData {
  readonly modulePath: string;
  /** The file of the package pkcs11js. */
  readonly packageFile: string;
}
