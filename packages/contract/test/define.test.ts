import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Check, defineActivity, version } from '../src/define.ts';
import { dialects, listedVersions } from '../src/dialects.ts';

const params = z.strictObject({ names: z.array(z.string()) });
const input = z.strictObject({ names: z.array(z.string()), quiet: z.boolean().optional() });

const base = {
  name: 'greet',
  path: 'greet',
  subject: 'users',
  summary: 'Greet',
  policy: { resource: 'USER', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_GREET_V2',
  params,
  intent: params,
  result: z.object({ greeting: z.string() }),
} as const;

const first = version({
  type: 'ACTIVITY_TYPE_GREET',
  params: z.strictObject({ name: z.string() }),
  upgrade: ({ name }) => ({ names: [name] }),
});
const third = version({
  type: 'ACTIVITY_TYPE_GREET_V3',
  params: input,
  upgrade: (newer) => newer,
  result: ({ greeting }: { greeting: string }) => ({ text: greeting }),
  resultKey: 'greetResultV3',
});

const check: Check = (schema, value) => schema.parse(value);
const typesOf = (versions: readonly { readonly type: string }[]) => versions.map(({ type }) => type);

describe('versions', () => {
  const greet = defineActivity({ ...base, spec: 'types', input, otherVersions: [third, first] });

  test('are in the order of their numbers, however they are written down', () => {
    expect(typesOf(greet.versions)).toEqual(['ACTIVITY_TYPE_GREET', 'ACTIVITY_TYPE_GREET_V2', 'ACTIVITY_TYPE_GREET_V3']);
  });

  test('check their own parameters and upgrade them to the input', () => {
    const [one, two, three] = greet.versions;
    expect(one?.params.read(check, { name: 'a' })).toEqual({ names: ['a'] });
    expect(two?.params.read(check, { names: ['a'] })).toEqual({ names: ['a'] });
    expect(three?.params.read(check, { names: ['a'], quiet: true })).toEqual({ names: ['a'], quiet: true });
    expect(() => one?.params.read(check, { names: ['a'] })).toThrow();
    expect(() => two?.params.read(check, { names: ['a'], quiet: true })).toThrow();
  });

  test('name their results, and may give them a form of their own', () => {
    expect(greet.versions.map(({ resultKey }) => resultKey)).toEqual(['greetResult', 'greetResult', 'greetResultV3']);
    expect(greet.versions.map(({ result }) => result?.({ greeting: 'hi' } as never))).toEqual([
      undefined,
      undefined,
      { text: 'hi' },
    ]);
  });

  test('of the current type may take fewer values on the path of the specification', () => {
    const narrow = z.strictObject({ names: z.array(z.string()).max(1) });
    const { versions } = defineActivity({ ...base, spec: 'endpoint', specParams: narrow, input, otherVersions: [first] });
    expect(versions.map(({ specParams }) => specParams.schema === narrow)).toEqual([false, true]);
    expect(() => versions[1]?.specParams.read(check, { names: ['a', 'b'] })).toThrow();
    expect(versions[1]?.params.read(check, { names: ['a', 'b'] })).toEqual({ names: ['a', 'b'] });
  });
});

describe('the path of the specification', () => {
  const define = (spec: 'endpoint' | 'types' | 'none') => defineActivity({ ...base, spec, input, otherVersions: [first, third] });

  test.each([
    ['endpoint', ['ACTIVITY_TYPE_GREET_V2'], 2],
    ['types', ['ACTIVITY_TYPE_GREET', 'ACTIVITY_TYPE_GREET_V2'], 2],
    ['none', ['ACTIVITY_TYPE_GREET', 'ACTIVITY_TYPE_GREET_V2', 'ACTIVITY_TYPE_GREET_V3'], 0],
  ] as const)('takes what the specification has of it (%s)', (spec, accepted, listed) => {
    const activity = define(spec);
    expect(typesOf(dialects.spec.acceptedVersions(activity))).toEqual(accepted);
    expect(listedVersions(activity)).toHaveLength(listed);
    expect(dialects.turnkey.acceptedVersions(activity)).toHaveLength(3);
  });
});

test('what does not lead to the input does not compile', () => {
  const wrong = () => [
    defineActivity({
      ...base,
      spec: 'none',
      // @ts-expect-error the upgrade gives a number where the input has a list
      otherVersions: [version({ type: 'ACTIVITY_TYPE_GREET', params, upgrade: () => ({ names: 1 }) })],
    }),
    defineActivity({
      ...base,
      spec: 'none',
      // @ts-expect-error the upgrade leaves out what the input needs
      otherVersions: [version({ type: 'ACTIVITY_TYPE_GREET', params, upgrade: () => ({}) })],
    }),
    // @ts-expect-error the current parameters lack what the input needs
    defineActivity({ ...base, spec: 'none', input: z.strictObject({ names: z.array(z.string()), loud: z.boolean() }) }),
  ];
  expect(wrong).toBeTypeOf('function');
});
