import { z } from 'zod';
import { secret } from '../secrets.ts';

/** A token of `verify_otp`, which proves who can be reached at a contact. */
export const verificationToken = secret(z.string().min(1, 'must not be empty').max(4096, 'must have at most 4096 characters'));

/** The word of the holder of the key that a verification token names. */
export const clientSignature = secret(
  z.strictObject({
    publicKey: z.string().max(130),
    scheme: z.enum(['CLIENT_SIGNATURE_SCHEME_API_P256']),
    message: z.string().max(262_144, 'must have at most 262144 characters').describe('JSON text of what the token is used for'),
    signature: z.string().max(256).describe('r and s, or DER, in hexadecimal: ECDSA over SHA-256 of message'),
  }),
).meta({ id: 'ClientSignature' });

/** A code and a public key, encrypted to the target that came with the id of the code. */
export const encryptedOtpBundle = z
  .string()
  .min(1, 'must not be empty')
  .max(2048, 'must have at most 2048 characters')
  .describe(
    'JSON text of encappedPublic (130 hexadecimal digits) and ciphertext (hexadecimal): otp_code and public_key, encrypted to otpEncryptionTargetBundle',
  );
