import { activities, errorCodes, openApiDocument, queries } from '@countersign/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';

const document = openApiDocument({ version: '1.2.3', serverUrl: 'https://keys.example.com' });

// biome-ignore lint/suspicious/noExplicitAny: the tests look into a document of free form
const post = (path: string): any => document.paths[path]?.post;
const requestSchema = (path: string) => post(path).requestBody.content['application/json'].schema;
const answerSchema = (path: string) => post(path).responses[200].content['application/json'].schema;

function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : references(value)));
}

function resolves(reference: string): boolean {
  let node: unknown = document;
  for (const step of reference.slice(2).split('/')) node = (node as Record<string, unknown> | undefined)?.[step];
  return node !== undefined;
}

describe('openApiDocument', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone({ ...document }));
    expect(result).toEqual({ valid: true });
  });

  test('has every operation on both base paths, and nothing else', () => {
    const submits = Object.values(activities).map(({ path }) => `submit/${path}`);
    const asks = Object.values(queries).map(({ path }) => `query/${path}`);
    const expected = [...submits, ...asks].flatMap((path) => [`/public/v1/${path}`, `/compat/turnkey/public/v1/${path}`]);
    expect(Object.keys(document.paths).sort()).toEqual(expected.sort());
  });

  test('operation ids are unique', () => {
    const ids = Object.values(document.paths).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every reference leads somewhere', () => {
    const all = references(document);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((reference) => !resolves(reference))).toEqual([]);
  });

  test('carries the version and the address it was given; without an address paths are relative', () => {
    expect(document.info.version).toBe('1.2.3');
    expect(document.servers).toEqual([{ url: 'https://keys.example.com' }]);
    expect(openApiDocument({ version: '1' }).servers).toEqual([{ url: '/' }]);
  });

  test('names both stamp headers as alternatives', () => {
    expect(document.security).toEqual([{ apiKeyStamp: [] }, { passkeyStamp: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKeyStamp: { in: 'header', name: 'X-Stamp' },
      passkeyStamp: { in: 'header', name: 'X-Stamp-Webauthn' },
    });
  });

  test('every operation names every status of the error table, and every code is in the response of its status', () => {
    for (const { post } of Object.values(document.paths)) {
      const statuses = Object.keys(post.responses as object).map(Number);
      expect(statuses).toEqual([200, ...new Set(Object.values(errorCodes).map(({ status }) => status))].sort((a, b) => a - b));
    }
    for (const [code, { status }] of Object.entries(errorCodes)) {
      expect(JSON.stringify(document.components.responses[`Error${status}`])).toContain(`"${code}"`);
    }
  });
});

describe('request bodies', () => {
  test('a specified activity takes one type on the path of the specification and all versions on the compatible one', () => {
    const body = requestSchema('/public/v1/submit/sign_raw_payload');
    expect(body).toMatchObject({
      required: ['type', 'timestampMs', 'organizationId', 'parameters'],
      additionalProperties: false,
      properties: {
        type: { const: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' },
        parameters: { $ref: '#/components/schemas/SignRawPayloadV2Params' },
      },
    });
    expect(requestSchema('/compat/turnkey/public/v1/submit/sign_raw_payload').oneOf).toMatchObject([
      { properties: { type: { const: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD' } } },
      { properties: { type: { const: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' }, generateAppProofs: { type: 'boolean' } } },
    ]);
  });

  test('an activity that the specification only lists takes all its versions on both', () => {
    expect(requestSchema('/public/v1/submit/create_sub_organization').oneOf).toHaveLength(7);
  });

  test('parameters are closed, and shapes with a name are shared', () => {
    expect(document.components.schemas.SignRawPayloadV2Params).toMatchObject({
      additionalProperties: false,
      properties: { encoding: { $ref: '#/components/schemas/PayloadEncoding' } },
    });
    expect(requestSchema('/public/v1/submit/create_wallet').properties.parameters).toEqual({
      $ref: '#/components/schemas/WalletParams',
    });
  });
});

describe('responses', () => {
  test('a submit shows intent and result under result.activity, or versioned at the top', () => {
    const activity = answerSchema('/public/v1/submit/sign_raw_payload').properties.activity;
    expect(activity.required).toEqual(['id', 'status', 'type', 'organizationId', 'timestampMs', 'result']);
    expect(activity.properties.result.properties.activity.properties).toMatchObject({
      type: { enum: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] },
      intent: { required: ['signRawPayloadIntent'] },
      result: { properties: { signRawPayloadResult: { $ref: '#/components/schemas/Signature' } }, required: [] },
    });

    const versions = answerSchema('/compat/turnkey/public/v1/submit/sign_raw_payload').properties.activity.oneOf;
    expect(versions[1].allOf[1].properties).toMatchObject({
      type: { const: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' },
      intent: { required: ['signRawPayloadIntentV2'] },
      result: { properties: { signRawPayloadResult: { $ref: '#/components/schemas/Signature' } } },
    });
  });

  test('an older version with a result of its own does not claim the current shape', () => {
    const [first] = answerSchema('/compat/turnkey/public/v1/submit/create_private_keys').properties.activity.oneOf;
    expect(first.allOf[1].properties.result.properties).toEqual({ createPrivateKeysResult: { type: 'object' } });
  });

  test('a query wraps its data in an activity, or gives it at the top', () => {
    expect(answerSchema('/public/v1/query/list_wallets').properties.activity.properties).toMatchObject({
      type: { const: 'ACTIVITY_TYPE_UNKNOWN_V1' },
      result: { $ref: '#/components/schemas/ListWalletsOutput' },
    });
    expect(answerSchema('/compat/turnkey/public/v1/query/list_wallets')).toEqual({
      $ref: '#/components/schemas/ListWalletsOutput',
    });
  });
});
