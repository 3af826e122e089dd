import { type activities, activityByType } from '@countersign/contract';
import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, madeUpId } from '../../support/world.ts';
import { caseFiles } from './cases/index.ts';
import type { Stage } from './support/catalogue-case.ts';

/** Patterns of values that name an object, each with a way to make up an unused one. */
const names: readonly (readonly [RegExp, () => string])[] = [
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, madeUpId],
  [/^0x[0-9a-fA-F]{40}$/, () => `0x${madeUpId().replaceAll('-', '')}00000000`],
  [/^sha256:[0-9a-f]{64}$/, () => `sha256:${madeUpId().replaceAll('-', '').repeat(2)}`],
];

/** Fields that name a user to be created (its future id, or what first versions have instead), or an address that belongs to nobody here. */
const free = /^(contacts\.\d+\.address|rootUserId|rootAuthenticator\.userId|users\.\d+\.authenticators\.\d+\.userId)$/;

interface Place {
  readonly path: readonly string[];
  readonly value: string;
  madeUp(): string;
}

/** Every place in parameters where something is named. */
function places(value: Json, path: readonly string[] = []): Place[] {
  if (typeof value === 'string') {
    const found = names.find(([form]) => form.test(value));
    return found === undefined || free.test(path.join('.')) ? [] : [{ path, value, madeUp: found[1] }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]));
}

function replace(value: Json, [key, ...rest]: readonly string[], put: string): Json {
  if (key === undefined) return put;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? replace(item, rest, put) : item));
  return { ...value, [key]: replace(value[key], rest, put) };
}

const at = (value: Json, path: readonly string[]): Json => path.reduce((node, key) => node[key], value);

const types = Object.values(caseFiles)
  .flatMap((cases) => Object.entries(cases))
  .flatMap(([type, { succeeds }]) => (succeeds === undefined ? [] : [{ type, succeeds }]));

describeEngines(
  'objects of another organization',
  (subject) => {
    async function makeStage(): Promise<Stage> {
      const { service } = subject();
      const first = service.root.with({ dialect: 'turnkey' });
      const { caller: root, userId: rootUserId } = await createSubOrganization(first);
      return { root, rootUserId, first, service };
    }

    test.each(types)(
      'D57: $type answers it like an unknown object, in every field that names an object',
      async ({ type, succeeds }) => {
        const name = activityByType.get(type)?.definition.name as keyof typeof activities;
        const stage = await makeStage();
        const foreign = await succeeds(await makeStage());
        const own = await succeeds(stage);
        const caller = own.caller ?? stage.root;
        const before = await countRows(subject().raw);
        for (const { path, value, madeUp } of places(own.params)) {
          const theirs = at(foreign.params, path);
          expect(theirs, path.join('.')).not.toBe(value);
          const [asked, guessed] = [
            await caller.submit(name, replace(own.params, path, theirs), { type }),
            await caller.submit(name, replace(own.params, path, madeUp()), { type }),
          ];
          expect(asked.status, path.join('.')).toBeGreaterThanOrEqual(400);
          expect({ status: asked.status, body: asked.body }, path.join('.')).toEqual({
            status: guessed.status,
            body: guessed.body,
          });
        }
        expect(await countRows(subject().raw)).toEqual(before);
        // The request itself is valid: only the name made the difference.
        expect((await caller.submit(name, own.params, { type })).status).toBe(200);
      },
    );
  },
  { config: { billingTiers: { business: { maxUsers: 500 } } } },
);

test('the sweep looks into lists and objects, and leaves out objects to be created', () => {
  const params = { rootUserId: madeUpId(), userIds: [madeUpId()], nested: { signWith: `0x${'11'.repeat(20)}`, name: 'x' } };
  expect(places(params).map(({ path }) => path.join('.'))).toEqual(['userIds.0', 'nested.signWith']);
});
