import {
  type ActivityDefinition,
  activities,
  activityKind,
  activityTypes,
  exampleOf,
  intentKey,
  isSignature,
  type QueryDefinition,
  queries,
} from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { type Check, versionNumber } from '../src/define.ts';
import { specTypes } from './spec-types.ts';

const allActivities = Object.entries<ActivityDefinition>(activities);
const allQueries = Object.entries<QueryDefinition>(queries);
const allVersions = allActivities.flatMap(([, activity]) => activity.versions.map((version) => ({ activity, version })));
/** The number of an EIP is a word of its own in paths. */
const snakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/(?<=[a-z])(?=\d{4}$)/, '_');

const check: Check = (schema, value) => schema.parse(value);
/** Takes parameters as they are, so that a test can give an upgrade only the part it is about. */
const unchecked: Check = (_schema, value) => value as never;

test('signatures are the activities whose policies name the action SIGN', () => {
  for (const { activity, version } of allVersions) expect(isSignature(version.type)).toBe(activity.policy.action === 'SIGN');
});

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

  test('the types that definitions call listed are those of the specification', () => {
    expect([...activityTypes].sort()).toEqual([...specTypes].sort());
  });

  test('the current type is the last version that the specification lists', () => {
    for (const [, { spec, type, versions }] of allActivities) {
      const listed = versions.filter((version) => specTypes.includes(version.type));
      expect(spec === 'none').toBe(listed.length === 0);
      if (listed.length > 0) expect(listed.at(-1)?.type).toBe(type);
      else expect(versions.map((version) => version.type)).toContain(type);
    }
  });

  test('versions are in the order of their numbers, without gaps', () => {
    for (const [, { versions }] of allActivities) {
      // Some clients write the first version of a type in another way.
      const numbers = [...new Set(versions.map((version) => `${activityKind(version.type)} ${versionNumber(version.type)}`))];
      const [kind] = versions.map((version) => activityKind(version.type));
      expect(numbers).toEqual(numbers.map((_, index) => `${kind} ${index + 1}`));
    }
  });

  test('definitions cannot be changed', () => {
    for (const [, definition] of [...allActivities, ...allQueries]) expect(Object.isFrozen(definition)).toBe(true);
  });
});

describe.each(allVersions)('$version.type', ({ activity, version }) => {
  test('the example parses', () => {
    for (const { schema } of [version.params, version.specParams]) expect(() => schema.parse(exampleOf(schema))).not.toThrow();
  });

  test('an unknown parameter is refused by name', () => {
    for (const { schema } of [version.params, version.specParams]) {
      const parsed = schema.safeParse({ ...(exampleOf(schema) as object), unexpected: true });
      expect(parsed.error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['unexpected'] }]);
    }
  });

  test('the upgrade gives what the executor works on', () => {
    for (const { schema, read } of [version.params, version.specParams]) {
      const input = read(check, exampleOf(schema));
      expect(activity.input.parse(input)).toEqual(input);
    }
  });

  test('a current result can be shown as this version shows it', () => {
    if (version.result !== undefined) expect(version.result(exampleOf(activity.result) as never)).toBeTypeOf('object');
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
    expect(first?.params.read(unchecked, { userId: 'u', apiKeys: [{ apiKeyName: 'k', publicKey: '02' }] })).toEqual({
      userId: 'u',
      apiKeys: [{ apiKeyName: 'k', publicKey: '02', curveType: 'API_KEY_CURVE_P256' }],
    });
  });

  test('privateKeyId becomes signWith', () => {
    const [first] = activities.signRawPayload.versions;
    expect(first?.params.read(unchecked, { privateKeyId: 'k', payload: '00' })).toEqual({ signWith: 'k', payload: '00' });
  });
});

test('an intent is keyed by its version in the compatible dialect', () => {
  expect(intentKey('signRawPayload', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD')).toBe('signRawPayloadIntent');
  expect(intentKey('signRawPayload', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')).toBe('signRawPayloadIntentV2');
});
