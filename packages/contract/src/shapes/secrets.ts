import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';
import { label } from './primitives.ts';

/** The most secrets in one request. */
export const MAX_SECRETS_PER_REQUEST = 32;
/** The most bytes of a secret. */
export const MAX_SECRET_BYTES = 16_384;
/** JSON with the key of the sender, and the bytes with a tag in hexadecimal. */
const MAX_PAYLOAD_CHARACTERS = 2 * (MAX_SECRET_BYTES + 16) + 256;

/** How secrets are encrypted on the way. */
export const encryptionSuite = z
  .enum(['TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1'])
  .meta({ id: 'TransportEncryptionSuite' })
  .describe('HPKE with P-256, HKDF-SHA-256 and AES-256-GCM, as for wallets and keys');

/** A name with a value. */
export const keyValue = z
  .strictObject({
    key: z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters'),
    value: z.string().max(256, 'must have at most 256 characters'),
  })
  .meta({ id: 'KeyValue' });

/** Up to 20 names with values. */
export const keyValues = z.array(keyValue).max(20, 'must have at most 20 items');

/** The name of a secret. */
export const secretName = label;

/** A target of `init_import_secrets`. */
export const importTargetKey = z
  .string()
  .regex(
    /^(0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/,
    'must be targetPublic of a message from init_import_secrets: 130 hexadecimal digits',
  )
  .register(policyMarks, { form: 'p256', seenAs: 'it uncompressed and in lower case' })
  .describe('The public key of the target that the payload is encrypted to');

/** An encrypted secret to import. */
export const secretPayload = z
  .string()
  .min(1, 'must not be empty')
  .max(
    MAX_PAYLOAD_CHARACTERS,
    `must have at most ${MAX_PAYLOAD_CHARACTERS} characters, for a secret of ${MAX_SECRET_BYTES} bytes`,
  )
  .describe('JSON text with encappedPublic (130 hexadecimal digits) and ciphertext (hexadecimal)');

/** One to 32 items. */
export const severalSecrets = <S extends z.ZodType>(item: S) =>
  z.array(item).min(1, 'must not be empty').max(MAX_SECRETS_PER_REQUEST, `must have at most ${MAX_SECRETS_PER_REQUEST} items`);

/** A secret as `list_secrets` shows it. */
export const secretMetadata = z
  .object({
    secretId: z.string(),
    name: z.string().optional(),
    staticProperties: z.array(z.object({ key: z.string(), value: z.string() })),
    createdAtUnixMs: z.string(),
  })
  .meta({ id: 'SecretMetadata' });
