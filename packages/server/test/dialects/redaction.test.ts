import {
  type ActivityDefinition,
  type ActivityVersion,
  activities,
  activityByType,
  type JsonSchema,
  jsonSchemaOf,
  secretMark,
} from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { spec } from '../../src/dialects/spec.ts';
import { turnkey } from '../../src/dialects/turnkey.ts';
import { eventBody } from '../../src/notify/webhooks/event-body.ts';
import { organizationWith } from '../notify/webhooks/organization.ts';
import { activityRecord, voteRecord } from './activity-record.ts';

const SECRET = 'SECRET-7K3M9QX2A';
const organization = organizationWith();

/**
 * Values of a schema that together have every field and every alternative in them, with the sentinel for every text in a secret.
 * It reads the JSON Schema, not what the redactor reads.
 */
function filled(schema: JsonSchema, secret = false): unknown[] {
  const hidden = secret || schema[secretMark] === true;
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((alternative) => filled(alternative, hidden));
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, filled(field, hidden)] as const);
    const others =
      typeof schema.additionalProperties === 'object' ? { other: filled(schema.additionalProperties, hidden)[0] } : {};
    const count = Math.max(1, ...fields.map(([, values]) => values.length));
    return Array.from({ length: count }, (_, index) => ({
      ...Object.fromEntries(fields.map(([name, values]) => [name, values[index % values.length]])),
      ...others,
    }));
  }
  if (schema.type === 'array') return [filled(schema.items ?? {}, hidden)];
  if (schema.type === 'boolean') return [true];
  if (schema.type === 'integer' || schema.type === 'number') return [1];
  return [hidden ? SECRET : (schema.const ?? schema.enum?.[0] ?? 'public')];
}

/** Records of one version, submitted by the user `submitter`, that have every secret in every place. */
function recordsOf(definition: ActivityDefinition, { type, params, specParams }: ActivityVersion) {
  const results = filled(jsonSchemaOf(definition.result));
  return [definition.intent, definition.input].flatMap((kept) =>
    filled(jsonSchemaOf(kept)).flatMap((intent) =>
      [params, specParams].flatMap(({ schema }) =>
        filled(jsonSchemaOf(schema)).flatMap((parameters) => {
          const message = JSON.stringify({ type, parameters });
          // The second vote stamps the same body, which counts as an approval.
          const votes = [voteRecord(message, { userId: 'submitter' }), voteRecord(message, { userId: 'u' })];
          return results.map((result) => activityRecord(type, votes, { intent, result }));
        }),
      ),
    ),
  );
}

type Rendering = (record: ReturnType<typeof activityRecord>) => unknown;

/** What somebody gets to see who did not submit the activity. */
const renderings: Readonly<Record<string, Rendering>> = {
  'get_activity and list_activities (spec)': (record) => spec.showActivity(record, organization, 'u'),
  'get_activity and list_activities (turnkey)': (record) => turnkey.showActivity(record, organization, 'u'),
  'get_activity of the submitter (spec)': (record) => spec.showActivity(record, organization, 'submitter'),
  'get_activity of the submitter (turnkey)': (record) => turnkey.showActivity(record, organization, 'submitter'),
  'the answer to a vote (spec)': (record) => spec.showSubmitted(record, organization, 'u'),
  'the answer to a vote (turnkey)': (record) => turnkey.showSubmitted(record, organization, 'u'),
  'a webhook event': (record) => eventBody(record, organization),
};

const versions = Object.values<ActivityDefinition>(activities).flatMap((definition) =>
  definition.versions.map((version) => ({ type: version.type, records: recordsOf(definition, version) })),
);
const holding = versions.filter(({ records }) => JSON.stringify(records).includes(SECRET)).map(({ type }) => type);

describe('D60, D61: what is shown of an activity', () => {
  test('versions with a secret are found', () => {
    expect(holding).toEqual(
      expect.arrayContaining([
        'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5',
        'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
        'ACTIVITY_TYPE_CREATE_USERS_V3',
        'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
        'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
        'ACTIVITY_TYPE_OAUTH',
        'ACTIVITY_TYPE_OAUTH_LOGIN',
        'ACTIVITY_TYPE_OTP_AUTH',
        'ACTIVITY_TYPE_OTP_LOGIN_V2',
        'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
        'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
        'ACTIVITY_TYPE_VERIFY_OTP',
      ]),
    );
  });

  describe.each(Object.entries(renderings))('%s', (_name, render) => {
    test.each(versions)('$type: no secret', ({ type, records }) => {
      expect(records.length).toBeGreaterThan(0);
      for (const record of records) {
        const shown = JSON.stringify(render(record));
        expect(shown).toContain(type);
        expect(shown).not.toContain(SECRET);
      }
    });
  });

  test.each(holding)('%s: the submitter sees in the answer what the request had', (type) => {
    const { records = [] } = versions.find((version) => version.type === type) ?? {};
    const sent = records.filter(({ votes }) => votes[0]?.message.includes(SECRET));
    for (const record of sent) {
      expect(JSON.stringify(turnkey.showSubmitted(record, organization, 'submitter'))).toContain(SECRET);
    }
  });

  test('an activity without a secret keeps its bodies', () => {
    const message = JSON.stringify({ type: 'ACTIVITY_TYPE_CREATE_WALLET', parameters: { walletName: 'otpCode', accounts: [] } });
    const record = activityRecord('ACTIVITY_TYPE_CREATE_WALLET', [voteRecord(message)]);
    expect(turnkey.showActivity(record, organization, 'u').votes[0]?.message).toBe(message);
  });

  test('nothing is shown of a type that this release does not know', () => {
    const message = JSON.stringify({ type: 'ACTIVITY_TYPE_RETIRED', parameters: { code: SECRET } });
    const record = activityRecord('ACTIVITY_TYPE_RETIRED', [voteRecord(message, { userId: 'submitter' })], {
      intent: { code: SECRET },
      result: { code: SECRET },
    });
    for (const render of Object.values(renderings)) expect(JSON.stringify(render(record))).not.toContain(SECRET);
  });
});

/** Names that sound like a secret. */
const suspicious = /code|token|secret|password|phrase|proof|signature|session|bundle|cvv/i;

/** Fields that sound like a secret and are none to those who read them. */
const harmless = [
  // Encrypted to a key that its reader does not have, or a key to encrypt to.
  'credentialBundle',
  'encryptedBundle',
  'encryptedOtpBundle',
  'exportBundle',
  'importBundle',
  // A count.
  'numSecrets',
  'otpEncryptionTargetBundle',
  // The kind of a credential.
  'proof',
  // A count.
  'readOnlySessions',
  // Ids, and what is encrypted to a key that its reader does not have.
  'secretId',
  'secretIds',
  'secretPayload',
  'secretPayloads',
  'secrets',
  // Says who is logged in, and authenticates nothing. The token of a read-only session, of the same name, is marked.
  'session',
  'sessionExpirationSeconds',
  'sessionExpiry',
  'sessionProfileId',
  'sessionProfileName',
  // The phase of a limit, and what an activity was for.
  'signature',
  'signatures',
  // Tokens of a blockchain.
  'tokenIds',
  'tokens',
  // Settings.
  'verificationTokenExpirationSeconds',
  'verificationTokenRequiredForGetAccountPii',
];

/** The names of all fields in a schema that are neither secret nor inside of a secret. */
function openNames(schema: JsonSchema): string[] {
  if (schema[secretMark] === true) return [];
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) =>
    field[secretMark] === true ? [] : [name, ...openNames(field)],
  );
  const rest = typeof additionalProperties === 'object' ? openNames(additionalProperties) : [];
  return [...own, ...(items ? openNames(items) : []), ...anyOf.flatMap(openNames), ...rest];
}

test('every field of the contract whose name sounds like a secret is marked, or known to be none', () => {
  const schemas = [...activityByType.values()].flatMap(({ definition: { input, intent, result }, version }) => [
    version.params.schema,
    version.specParams.schema,
    input,
    intent,
    result,
  ]);
  const names = new Set(schemas.flatMap((schema) => openNames(jsonSchemaOf(schema))));
  expect([...names].filter((name) => suspicious.test(name)).sort()).toEqual(harmless);
});
