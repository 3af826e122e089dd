import { verify } from 'node:crypto';
import { type JsonLimits, readStrictJson } from '@countersign/strict-json';
import { p256Key } from './p256-key.ts';

/** A statement that the holder of a key signed, and its signature. */
export interface ClientSignature {
  readonly publicKey: string;
  readonly message: string;
  /** r and s, or DER; hexadecimal. */
  readonly signature: string;
}

/** Clients send either form. */
const encodings = ['ieee-p1363', 'der'] as const;

/** A statement names the credentials of one user. */
const LIMITS: JsonLimits = Object.freeze({ depth: 6, values: 10_000, names: 16 });

/** The statement as JSON, if the expected key signed it; undefined otherwise. */
export function readSigned({ publicKey, message, signature }: ClientSignature, keyHex: string): unknown {
  if (publicKey.toLowerCase() !== keyHex.toLowerCase() || !/^([0-9a-fA-F]{2}){1,128}$/.test(signature)) return undefined;
  const key = p256Key(keyHex);
  const [data, bytes] = [Buffer.from(message, 'utf8'), Buffer.from(signature, 'hex')];
  if (!encodings.some((dsaEncoding) => verify('sha256', data, { key, dsaEncoding }, bytes))) return undefined;
  try {
    return readStrictJson(data, LIMITS);
  } catch {
    // Signed, but not strict JSON: two readers could understand it differently. Treat it as absent.
    return undefined;
  }
}
