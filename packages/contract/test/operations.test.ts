import {
  type ActivityDefinition,
  type ActivityVersion,
  activities,
  activityTypes,
  compatibleTypes,
  exampleOf,
  intentKey,
  type QueryDefinition,
  queries,
} from '@countersign/contract';
import { describe, expect, test } from 'vitest';

const allActivities = Object.entries<ActivityDefinition>(activities);
const allQueries = Object.entries<QueryDefinition>(queries);
const allVersions = allActivities.flatMap(([, activity]) => activity.versions.map((version) => ({ activity, version })));
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Versions whose upgrade brings more than the current wire parameters have; the executor knows these fields. */
const beyondCurrent: Readonly<Record<string, readonly string[]>> = {
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: ['privateKeys'],
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: ['email'],
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: ['expirationSeconds'],
  ACTIVITY_TYPE_INIT_OTP_V3: ['encrypted'],
  ACTIVITY_TYPE_CREATE_POLICY: ['selectors'],
  ACTIVITY_TYPE_CREATE_POLICY_V2: ['selectors'],
};

/** Versions whose parameters stay in a form of their own, because the current one can be had from them only when they are carried out. */
const ownForm: ReadonlySet<string> = new Set(['ACTIVITY_TYPE_VERIFY_OTP_V2']);

function upgraded({ type, params, upgrade }: ActivityVersion): Record<string, unknown> {
  const current = upgrade(params.parse(exampleOf(params)) as never) as Record<string, unknown>;
  const extra = beyondCurrent[type] ?? [];
  return Object.fromEntries(Object.entries(current).filter(([field]) => !extra.includes(field)));
}

describe('the table of operations', () => {
  test('every key is the name of its definition, and the path follows from the name', () => {
    for (const [key, { name, path }] of [...allActivities, ...allQueries]) {
      expect(name).toBe(key);
      expect(path).toBe(snakeCase(name));
    }
  });

  test('names are unique over activities and queries together', () => {
    const names = [...allActivities, ...allQueries].map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('no two versions share a type', () => {
    const types = allVersions.map(({ version }) => version.type);
    expect(new Set(types).size).toBe(types.length);
  });

  test('the specification lists every type in use but those known to be beyond it, and lists none twice', () => {
    expect(new Set(activityTypes).size).toBe(activityTypes.length);
    const unlisted = allVersions.map(({ version }) => version.type).filter((type) => !activityTypes.includes(type));
    expect(unlisted.sort()).toEqual([...compatibleTypes].sort());
  });

  test('the current type is the last version that the specification lists', () => {
    for (const [, { type, versions }] of allActivities) {
      const listed = versions.filter((version) => activityTypes.includes(version.type));
      if (listed.length > 0) expect(listed.at(-1)?.type).toBe(type);
      else expect(versions.map((version) => version.type)).toContain(type);
    }
  });

  test('definitions cannot be changed', () => {
    for (const [, definition] of [...allActivities, ...allQueries]) expect(Object.isFrozen(definition)).toBe(true);
  });
});

describe.each(allVersions)('$version.type', ({ activity, version }) => {
  test('the example parses', () => {
    expect(() => version.params.parse(exampleOf(version.params))).not.toThrow();
  });

  test('an unknown parameter is refused by name', () => {
    const parsed = version.params.safeParse({ ...(exampleOf(version.params) as object), unexpected: true });
    expect(parsed.error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['unexpected'] }]);
  });

  test('the upgrade gives parameters that the current version accepts', () => {
    const parameters = upgraded(version);
    const accepted = ownForm.has(version.type) ? version.params : activity.params;
    expect(accepted.parse(parameters)).toEqual(parameters);
  });

  test('a current result can be shown as this version shows it', () => {
    const shown = version.result(exampleOf(activity.result) as never);
    expect(shown).toBeTypeOf('object');
    expect(version.resultKey).toMatch(new RegExp(`^${activity.name}Result(V\\d+)?$`));
  });
});

describe.each(allQueries)('%s', (_, query) => {
  test('the example parses, and an unknown field is refused by name', () => {
    const example = exampleOf(query.input) as object;
    expect(() => query.input.parse(example)).not.toThrow();
    expect(query.input.safeParse({ ...example, unexpected: true }).error?.issues).toMatchObject([{ keys: ['unexpected'] }]);
  });
});

describe('upgrades', () => {
  test('a P-256 key is what an API key without a curve was', () => {
    const [first] = activities.createApiKeys.versions;
    expect(first?.upgrade({ userId: 'u', apiKeys: [{ apiKeyName: 'k', publicKey: '02' }] } as never)).toEqual({
      userId: 'u',
      apiKeys: [{ apiKeyName: 'k', publicKey: '02', curveType: 'API_KEY_CURVE_P256' }],
    });
  });

  test('privateKeyId becomes signWith', () => {
    const [first] = activities.signRawPayload.versions;
    expect(first?.upgrade({ privateKeyId: 'k', payload: '00' } as never)).toEqual({ signWith: 'k', payload: '00' });
  });
});

test('an intent is keyed by its version in the compatible dialect', () => {
  expect(intentKey('signRawPayload', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD')).toBe('signRawPayloadIntent');
  expect(intentKey('signRawPayload', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')).toBe('signRawPayloadIntentV2');
});
