import { z } from 'zod';

const PRIVATE_KEY_PASTED =
  'has the 64 digits of a private key. Send the public key, and regard the private one as disclosed: make another pair';

/** Whether a text is as long as a private key: what gets pasted into the wrong field. */
const isPrivateKeyLength = (text: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(text);

/** The P-256 public key of a caller to which the service encrypts something. */
export const targetPublicKey = z
  .string()
  .refine((text) => !isPrivateKeyLength(text), { message: PRIVATE_KEY_PASTED, abort: true })
  .regex(
    /^(0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/,
    'must be a P-256 public key in hexadecimal: 66 digits compressed, or 130 uncompressed',
  )
  .describe('The P-256 public key of the caller that the answer is encrypted to: 66 hexadecimal digits, or 130');

/** The P-256 public key of a session that the caller keeps the private half of. */
export const sessionPublicKey = z
  .string()
  .refine((text) => !isPrivateKeyLength(text), { message: PRIVATE_KEY_PASTED, abort: true })
  .regex(/^0[23][0-9a-fA-F]{64}$/, 'must be a compressed P-256 public key in hexadecimal: 66 digits')
  .describe('The compressed P-256 public key that becomes an API key until the session ends');

/** What a caller encrypted to the target of an import. */
export const encryptedBundle = z
  .string()
  .min(1)
  .max(8192, 'must have at most 8192 characters')
  .describe('JSON text of encappedPublic (130 hexadecimal digits) and ciphertext (hexadecimal)');

export const mnemonicLanguages = [
  'MNEMONIC_LANGUAGE_ENGLISH',
  'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE',
  'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE',
  'MNEMONIC_LANGUAGE_CZECH',
  'MNEMONIC_LANGUAGE_FRENCH',
  'MNEMONIC_LANGUAGE_ITALIAN',
  'MNEMONIC_LANGUAGE_JAPANESE',
  'MNEMONIC_LANGUAGE_KOREAN',
  'MNEMONIC_LANGUAGE_SPANISH',
] as const;

export const mnemonicLanguage = z.enum(mnemonicLanguages).meta({ id: 'MnemonicLanguage' });

/** A bundle that the service signed: JSON text of version, data, dataSignature and enclaveQuorumPublic. */
export const signedBundle = z
  .string()
  .describe('JSON text of version, data, dataSignature and enclaveQuorumPublic, signed with the key `signer` of this service');

/** A new API key, encrypted to the caller's key. */
export const credentialBundle = z
  .string()
  .describe(
    'The private key of a new API key, encrypted to targetPublicKey: Base58Check of the encapsulated key and the ciphertext',
  );
