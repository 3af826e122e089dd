import { z } from 'zod';
import { secret } from '../secrets.ts';
import { timestamp } from './primitives.ts';

/** The name of a provider in the operator's settings. */
export const oauth2ProviderName = z
  .string()
  .max(64, 'must have at most 64 characters')
  .regex(/^OAUTH2_PROVIDER_[A-Z][A-Z0-9_]*$/, 'must be the name of a provider, such as OAUTH2_PROVIDER_X');

export const oauth2ClientId = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 characters without spaces')
  .describe('The client id at the provider');

/** An envelope in Borsh: nonce, ephemeral public key, and a ciphertext of at most 4,112 bytes. */
export const encryptedClientSecret = secret(
  z
    .string()
    .max(8_500, 'must have at most 8500 characters')
    .regex(/^([0-9a-f]{2})+$/i, 'must be in hexadecimal')
    .describe('The client secret, encrypted to the service key `clientSecretReceiver`, in hexadecimal'),
);

/** What a browser brings back from the provider. */
export const oauth2Code = {
  authCode: secret(z.string().min(1, 'must not be empty').max(4096, 'must have at most 4096 characters')),
  redirectUri: z.url('must be an address').max(2048, 'must have at most 2048 characters'),
  codeVerifier: secret(
    z.string().regex(/^[A-Za-z0-9\-._~]{43,128}$/, 'must have 43 to 128 letters, digits, hyphens, dots, underscores or tildes'),
  ),
  // Secret, because it is text and policies know the nonces of transactions as numbers.
  nonce: secret(
    z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the text of the public key, as 64 lower-case hexadecimal digits')
      .describe('SHA-256 of the text of the session key, in hexadecimal: the token is valid only for this key'),
  ),
} as const;

/** A credential as queries show it. */
export const oauth2Credential = z
  .object({
    oauth2CredentialId: z.string(),
    organizationId: z.string(),
    provider: z.string(),
    clientId: z.string(),
    encryptedClientSecret: z.string().describe('Always empty: the secret does not leave the vault'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Oauth2Credential' });

/** The output form of a credential. */
export type Oauth2CredentialShape = z.output<typeof oauth2Credential>;
