import { activities, type JsonSchema, jsonSchemaOf } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { withoutCredentials } from '../../src/dialects/credentials.ts';

/** Names that sound like a secret. */
const suspicious = /code|token|secret|password|phrase|proof|signature|session|bundle/i;

/** What sounds like a secret and is none to whoever reads it. */
const harmless = [
  // Encrypted to a key that its reader does not have, or a key to encrypt to.
  'credentialBundle',
  'encryptedBundle',
  'encryptedOtpBundle',
  'exportBundle',
  'importBundle',
  'otpEncryptionTargetBundle',
  // Kept empty where it is a token of a read-only session; says who is logged in, and authenticates nothing, elsewhere.
  'session',
  'sessionExpiry',
  'sessionProfileId',
  // What an activity was for. Those of clients are within `clientSignature`.
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

describe('what is hidden of an activity', () => {
  const hidden = (name: string) => withoutCredentials({ [name]: 'x' })[name] === '';

  test('every field of the contract whose name sounds like a secret is hidden, or known to be none', () => {
    const open = new Set(names.filter((name) => suspicious.test(name) && !hidden(name)));
    expect([...open].sort()).toEqual(harmless);
  });
});
