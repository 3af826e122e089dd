import { type JsonObject, readStrictJson } from '@countersign/strict-json';
import { fromStrictBase64Url, fromStrictHex } from '../strict-text.ts';
import { readCredentialId } from '../webauthn/credential-id.ts';
import { publicKeyName } from './public-key.ts';
import { isSchemeId, type SchemeId, schemes } from './schemes.ts';
import { StampError } from './stamp-error.ts';

/** A body stamped with an API key. */
export interface ApiKeyStamp {
  readonly kind: 'apiKey';
  /** In canonical form, to look up the credential by. */
  readonly publicKey: string;
  /** Undefined in the dotted form: then the registered key decides. */
  readonly scheme: SchemeId | undefined;
  readonly signature: Uint8Array;
}

/** A body stamped with a passkey. */
export interface PasskeyStamp {
  readonly kind: 'passkey';
  /** Canonical base64url, to look up the credential by. */
  readonly credentialId: string;
  /** The id to look up if there is no credential with the first. Present if that one is the CBOR byte string of an id. */
  readonly innerCredentialId?: string;
  readonly authenticatorData: Uint8Array;
  readonly clientDataJson: Uint8Array;
  readonly signature: Uint8Array;
}

/** What a request carries to prove who sent it. */
export type Stamp = ApiKeyStamp | PasskeyStamp;

type HeaderValue = string | readonly string[] | undefined;

/** The headers that may contain a stamp, as Node returns them. */
export interface StampHeaders {
  readonly 'x-stamp'?: HeaderValue;
  readonly 'x-stamp-webauthn'?: HeaderValue;
  /** The token of a read-only session. It replaces a stamp in queries. */
  readonly 'x-session'?: HeaderValue;
  /** The client, as it describes itself. It proves nothing. */
  readonly 'user-agent'?: string | undefined;
}

/** An API key's stamp has about 350 characters. */
const MAX_API_KEY_STAMP_LENGTH = 2_048;
/** A passkey's stamp has about 700. The longest credential id and RSA signature add about 2,200. */
const MAX_PASSKEY_STAMP_LENGTH = 8_192;

const STAMP_LIMITS = Object.freeze({ depth: 1, values: 8, names: 8 });

/** 32 bytes are a private key of any curve. A DER signature of the same length starts with the header of a SEQUENCE. */
const PRIVATE_KEY = /^(?:0x)?(?!301e02)[0-9a-f]{64}$/i;

const DOTTED = /^([0-9a-fA-F]{66}|[0-9a-fA-F]{64})\.([0-9a-fA-F]+)$/;

/**
 * Reads the stamp of a request without checking it. Throws a `StampError` if there is no stamp, more than one, or one that could be
 * read in two ways.
 */
export function parseStamp(headers: StampHeaders): Stamp {
  const apiKey = onlyValue(headers['x-stamp']);
  const passkey = onlyValue(headers['x-stamp-webauthn']);
  if (apiKey !== undefined && passkey !== undefined) throw new StampError('AMBIGUOUS');
  if (apiKey !== undefined) return parseApiKeyStamp(apiKey);
  if (passkey !== undefined) return parsePasskeyStamp(passkey);
  throw new StampError('MISSING');
}

/** The token of a read-only session; undefined without one. Throws a `StampError` if a stamp comes with it. */
export function parseSession(headers: StampHeaders): string | undefined {
  const session = onlyValue(headers['x-session']);
  if (session === undefined) return undefined;
  if (headers['x-stamp'] !== undefined || headers['x-stamp-webauthn'] !== undefined) throw new StampError('AMBIGUOUS');
  return session;
}

function onlyValue(value: HeaderValue): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (value.length > 1) throw new StampError('AMBIGUOUS');
  return value[0];
}

function parseApiKeyStamp(header: string): ApiKeyStamp {
  if (header.length > MAX_API_KEY_STAMP_LENGTH) throw new StampError('TOO_LONG');
  if (header.includes('.')) return parseDottedStamp(header);
  const json = fromStrictBase64Url(header);
  if (json === undefined) throw new StampError('MALFORMED');
  const fields = readFields(json, ['publicKey', 'scheme', 'signature']);
  if (!isSchemeId(fields.scheme)) throw new StampError('UNKNOWN_SCHEME');
  // SECURITY: the length and prefix must fit the scheme's curve, so that a key of one kind is never read as another.
  const publicKey = publicKeyName(fields.publicKey, schemes[fields.scheme].curve);
  if (publicKey === undefined) throw new StampError('MALFORMED_PUBLIC_KEY');
  const signature = fromStrictHex(fields.signature);
  if (signature === undefined) throw new StampError('MALFORMED');
  return { kind: 'apiKey', publicKey, scheme: fields.scheme, signature };
}

/** `<public key hex>.<signature hex>`. The key's length distinguishes a compressed point from an ed25519 key; the registered key determines the rest. */
function parseDottedStamp(header: string): ApiKeyStamp {
  // SECURITY: report this to the caller, who has sent a secret. The error does not contain the text, so no log does.
  if (PRIVATE_KEY.test(header.slice(header.lastIndexOf('.') + 1))) throw new StampError('PRIVATE_KEY_SENT');
  const [, key, signatureHex] = DOTTED.exec(header) ?? [];
  const signature = signatureHex === undefined ? undefined : fromStrictHex(signatureHex);
  if (key === undefined || signature === undefined) throw new StampError('MALFORMED');
  const publicKey = publicKeyName(key, key.length === 64 ? 'API_KEY_CURVE_ED25519' : 'API_KEY_CURVE_P256');
  if (publicKey === undefined) throw new StampError('MALFORMED_PUBLIC_KEY');
  return { kind: 'apiKey', publicKey, scheme: undefined, signature };
}

function parsePasskeyStamp(header: string): PasskeyStamp {
  if (header.length > MAX_PASSKEY_STAMP_LENGTH) throw new StampError('TOO_LONG');
  const json = header.startsWith('{') ? Buffer.from(header, 'latin1') : fromStrictBase64Url(header);
  if (json === undefined) throw new StampError('MALFORMED');
  const fields = readFields(json, ['authenticatorData', 'clientDataJson', 'credentialId', 'signature']);
  const authenticatorData = fromStrictBase64Url(fields.authenticatorData);
  const clientDataJson = fromStrictBase64Url(fields.clientDataJson);
  const signature = fromStrictBase64Url(fields.signature);
  const [credentialId, innerCredentialId] = readCredentialId(fields.credentialId) ?? [];
  if (!authenticatorData || !clientDataJson || !signature || !credentialId) throw new StampError('MALFORMED');
  const stamp: PasskeyStamp = { kind: 'passkey', credentialId, authenticatorData, clientDataJson, signature };
  return innerCredentialId === undefined ? stamp : { ...stamp, innerCredentialId };
}

/** An object with exactly these text fields, so that a stamp cannot contain a second, contradicting value. */
function readFields<Name extends string>(json: Uint8Array, names: readonly Name[]): Record<Name, string> {
  const object = readObject(json);
  const isExact = Object.keys(object).length === names.length && names.every((name) => typeof object[name] === 'string');
  if (!isExact) throw new StampError('MALFORMED');
  return object as Record<Name, string>;
}

function readObject(json: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = readStrictJson(json, STAMP_LIMITS);
  } catch (cause) {
    throw new StampError('MALFORMED', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new StampError('MALFORMED');
  return value as JsonObject;
}
