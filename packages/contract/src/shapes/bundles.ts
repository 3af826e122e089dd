import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';

const PRIVATE_KEY_PASTED =
  'has the 64 digits of a private key. Send the public key, and treat the private one as leaked: generate another pair';

/** Whether a text has the length of a private key. People paste private keys into the wrong field. */
const isPrivateKeyLength = (text: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(text);

/** The caller's P-256 public key that the service encrypts an answer to. */
export const targetPublicKey = z
  .string()
  .refine((text) => !isPrivateKeyLength(text), { message: PRIVATE_KEY_PASTED, abort: true })
  .regex(
    /^(0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/,
    'must be a P-256 public key in hexadecimal: 66 digits compressed, or 130 uncompressed',
  )
  .register(policyMarks, { form: 'p256', seenAs: 'it uncompressed and in lower case' })
  .describe('The caller’s P-256 public key, in 66 or 130 hexadecimal digits. The response is encrypted to it');

/** The P-256 public key of a session. The caller keeps the private key. */
export const sessionPublicKey = z
  .string()
  .refine((text) => !isPrivateKeyLength(text), { message: PRIVATE_KEY_PASTED, abort: true })
  .regex(/^0[23][0-9a-fA-F]{64}$/, 'must be a compressed P-256 public key in hexadecimal: 66 digits')
  .describe('The compressed P-256 public key of the session. It is an API key until the session ends');

/** A secret to import, encrypted to the key from `init_import_wallet` or `init_import_private_key`. */
export const encryptedBundle = z
  .string()
  .min(1)
  .max(8192, 'must have at most 8192 characters')
  .describe('JSON text with encappedPublic (130 hexadecimal digits) and ciphertext (hexadecimal)');

/** The languages of recovery phrases. INVARIANT: wallets store the position in this list, so a new language comes last. */
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
  'MNEMONIC_LANGUAGE_PORTUGUESE',
] as const;

/** The language of a recovery phrase. */
export const mnemonicLanguage = z.enum(mnemonicLanguages).meta({ id: 'MnemonicLanguage' });

/** The language of a recovery phrase. */
export type MnemonicLanguage = z.output<typeof mnemonicLanguage>;

/** A bundle that the service signed. */
export const signedBundle = z
  .string()
  .describe('JSON text with version, data, dataSignature and enclaveQuorumPublic, signed by the service key `signer`');

/** A new API key, encrypted to the caller's key. */
export const credentialBundle = z
  .string()
  .describe(
    'The private key of a new API key, encrypted to targetPublicKey. Base58Check of the encapsulated key followed by the ciphertext',
  );
