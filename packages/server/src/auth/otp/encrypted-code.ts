import { otpCode, sessionPublicKey } from '@countersign/contract';
import { readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { publicKeyToRegister } from '../api-key/public-key.ts';

/** What a client encrypts: the code that its user typed, and the key to bind the token to, compressed in hexadecimal. */
export interface EncryptedCode {
  readonly otpCode: string;
  readonly publicKey: string;
}

const LIMITS = Object.freeze({ depth: 1, values: 4, names: 4 });

/** Exactly these two members, each in the form of an unencrypted request. */
const content = z.strictObject({ otp_code: otpCode, public_key: sessionPublicKey });

/**
 * The code and the key in an opened message. Undefined unless the message holds exactly these two, well formed.
 * SECURITY: does not say what is wrong. This does not compare the code with anything, so a refusal here does not count as a try.
 */
export function readEncryptedCode(plaintext: Uint8Array): EncryptedCode | undefined {
  try {
    const { otp_code, public_key } = content.parse(readStrictJson(plaintext, LIMITS));
    return { otpCode: otp_code, publicKey: publicKeyToRegister(public_key, 'API_KEY_CURVE_P256') };
  } catch {
    // Not strict JSON, of another shape, or with an invalid key: the message does not hold a code and a key.
    return undefined;
  }
}
