import { otpCode, sessionPublicKey } from '@countersign/contract';
import { readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { canonicalPublicKey } from '../public-key.ts';

/** What a client encrypts: the code that its user typed, and the key that the token is to be bound to, compressed in hexadecimal. */
export interface EncryptedCode {
  readonly otpCode: string;
  readonly publicKey: string;
}

const LIMITS = Object.freeze({ depth: 1, values: 4, names: 4 });

/** Nothing but these two, each as it would have to be in clear. */
const content = z.strictObject({ otp_code: otpCode, public_key: sessionPublicKey });

/**
 * The code and the key out of an opened message; undefined for anything but exactly these two, in their proper form.
 * SECURITY: says nothing about what is wrong with it. The code is compared with nothing here, so what is refused here is no try.
 */
export function readEncryptedCode(plaintext: Uint8Array): EncryptedCode | undefined {
  try {
    const { otp_code, public_key } = content.parse(readStrictJson(plaintext, LIMITS));
    return { otpCode: otp_code, publicKey: canonicalPublicKey(public_key, 'API_KEY_CURVE_P256') };
  } catch {
    // Whichever reader refused it: the message holds no code and key.
    return undefined;
  }
}
