import { activities, type JsonSchema, jsonSchemaOf } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { withoutCredentials } from '../../src/dialects/credentials.ts';

/** Names that sound like a secret. */
const suspicious = /code|token|secret|password|phrase|proof|signature|session|bundle/i;

/** Fields that sound like a secret but are not secret to their reader. */
const harmless = [
  // Encrypted to a key that the reader does not have, or a key to encrypt to.
  'credentialBundle',
  'encryptedBundle',
  'encryptedOtpBundle',
  'exportBundle',
  'importBundle',
  'otpEncryptionTargetBundle',
  // Stored empty if it is the token of a read-only session. Elsewhere it says who is logged in and authenticates nothing.
  'session',
  'sessionExpiry',
  'sessionProfileId',
  // The result of an activity. Signatures of clients are in `clientSignature`.
  'signature',
  'signatures',
];

/** The names of all fields in a schema, at any depth. */
function namesIn({ properties = {}, items, anyOf = [], additionalProperties }: JsonSchema): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [name, ...namesIn(schema)]);
  const rest = typeof additionalProperties === 'object' ? namesIn(additionalProperties) : [];
  return [...own, ...(items ? namesIn(items) : []), ...anyOf.flatMap(namesIn), ...rest];
}

const names = Object.values(activities).flatMap(({ versions, intent, result }) =>
  [...versions.flatMap(({ params, specParams }) => [params, specParams]), intent, result].flatMap((schema) =>
    namesIn(jsonSchemaOf(schema)),
  ),
);

describe('hidden fields of an activity', () => {
  const hidden = (name: string) => withoutCredentials({ [name]: 'x' })[name] === '';

  test('every field of the contract that sounds like a secret is hidden or listed as not secret', () => {
    const open = new Set(names.filter((name) => suspicious.test(name) && !hidden(name)));
    expect([...open].sort()).toEqual(harmless);
  });
});
