import { type activities, activityByType, activityTypes, type ErrorSpec, errorCodes } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { spec } from '../../../packages/server/src/dialects/spec.ts';
import { turnkey } from '../../../packages/server/src/dialects/turnkey.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { caseFiles } from './cases/index.ts';
import type { CatalogueCase, Stage } from './support/catalogue-case.ts';

const dialects = { spec, turnkey } as const;

interface Row {
  readonly type: string;
  readonly found: CatalogueCase;
}

const rows: Row[] = Object.values(caseFiles).flatMap((cases) => Object.entries(cases).map(([type, found]) => ({ type, found })));

/** The contract's entry for a type. */
function known(type: string) {
  const entry = activityByType.get(type);
  if (entry === undefined) throw new Error(`the contract has no ${type}`);
  return { ...entry, name: entry.definition.name as keyof typeof activities };
}

test('a case either succeeds or says why it never does', () => {
  for (const { type, found } of rows) expect(found.succeeds === undefined, type).toBe(found.never !== undefined);
});

test('every specified type in the contract is here once, except for sign-in, which has its own suites', () => {
  const apart = (type: string) => activityByType.get(type)?.definition.subject === 'sign-in';
  const served = activityTypes.filter((type) => activityByType.has(type) && !apart(type));
  const here = rows.map(({ type }) => type).filter((type) => !apart(type));
  expect(here.filter((type) => activityTypes.includes(type)).sort()).toEqual([...served].sort());
  expect(new Set(here).size).toBe(here.length);
});

describeEngines(
  'every activity type',
  (subject) => {
    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      const taken = rows.filter(({ type }) =>
        dialects[dialect].acceptedVersions(known(type).definition).includes(known(type).version),
      );

      async function makeStage(): Promise<Stage> {
        const { service } = subject();
        const first = service.root.with({ dialect });
        const { caller: root, userId: rootUserId } = await createSubOrganization(first);
        return { root, rootUserId, first, service };
      }

      test.each(taken.filter(({ found }) => found.succeeds))('$type is executed', async ({ type, found }) => {
        const stage = await makeStage();
        const { name, definition, version } = known(type);
        const trial = await found.succeeds?.(stage);
        const answer = await (trial?.caller ?? stage.root).submit(name, trial?.params, { type });
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        if (definition.subject === 'consensus') return;
        expect(answer.body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', type });
        const { intent, result } = partsOf(answer);
        expect(Object.keys(result)).toEqual([dialect === 'spec' ? `${name}Result` : version.resultKey]);
        if (dialect === 'turnkey') return;
        expectExactly(definition.intent, intent[`${name}Intent`]);
        expectExactly(definition.result, result[`${name}Result`]);
      });

      test.each(taken)('$type is refused, and leaves nothing behind', async ({ type, found }) => {
        const stage = await makeStage();
        const { params, caller = stage.root, code, fields } = await found.refused(stage);
        const before = await countRows(subject().raw);
        const answer = await caller.submit(known(type).name, params, { type });
        const { status, turnkey: compatible, turnkeyStatus = status }: ErrorSpec = errorCodes[code];
        expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({
          status: dialect === 'spec' ? status : turnkeyStatus,
          code: dialect === 'spec' ? code : compatible,
          ...(fields && { fields }),
        });
        expect(await countRows(subject().raw)).toEqual(before);
      });
    });
  },
  { config: { billingTiers: { business: { maxUsers: 500 } } } },
  slowEngines('postgres'),
);

function partsOf({ body: { activity } }: Answer) {
  return activity.result.activity ?? activity;
}

/** Whether a value has exactly the fields of its schema. Schemas of answers drop unknown fields. */
function expectExactly(schema: z.ZodType, value: unknown): void {
  expect(schema.parse(value)).toEqual(value);
}
