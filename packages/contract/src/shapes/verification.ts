import { z } from 'zod';
import { secret } from '../secrets.ts';

/** A token from `verify_otp`. It proves control of a contact. */
export const verificationToken = secret(z.string().min(1, 'must not be empty').max(4096, 'must have at most 4096 characters'));

/** A signature by the key that a verification token names. */
export const clientSignature = secret(
  z.strictObject({
    publicKey: z.string().max(130),
    scheme: z.enum(['CLIENT_SIGNATURE_SCHEME_API_P256']),
    message: z
      .string()
      .max(262_144, 'must have at most 262144 characters')
      .describe('JSON text with the intended use of the token'),
    signature: z.string().max(256).describe('ECDSA over the SHA-256 hash of message: r and s, or DER, in hexadecimal'),
  }),
).meta({ id: 'ClientSignature' });

/** A one-time code and a public key, encrypted to the key from `init_otp`. */
export const encryptedOtpBundle = z
  .string()
  .min(1, 'must not be empty')
  .max(2048, 'must have at most 2048 characters')
  .describe(
    'JSON text with encappedPublic (130 hexadecimal digits) and ciphertext (hexadecimal). The plaintext is JSON with otp_code and public_key, encrypted to otpEncryptionTargetBundle',
  );
