import { activities, type queries } from '@countersign/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ActivityCase, activityCases, buildWorld, type World } from '../../support/activity-cases.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { activityDetails, queryCases } from '../../support/query-cases.ts';
import { type Shape, shapeOf } from '../../support/shape-of.ts';

describeEngines('operations', (subject) => {
  describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
    let world: World;

    beforeAll(async () => {
      world = await buildWorld(subject().service.root.with({ dialect }));
    });

    test.each(Object.entries(activityCases))('%s answers with exactly its keys', async (name, expected) => {
      const operation = name as keyof typeof activities;
      const params = expected.params(world);
      const answer = await world.root.submit(operation, params);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { activity } = answer.body;
      expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect(activity.type).toBe(activities[operation].type);
      expect(activity.organizationId).toBe(world.root.organizationId);
      if (dialect === 'spec') expectSpec(answer, operation, expected.intent ?? shapeOf(params), expected.result);
      else expectTurnkey(answer, params, expected);
    });

    test.each(Object.entries(queryCases))('%s answers with exactly its keys', async (name, { fields, data }) => {
      const answer = await world.root.query(name as keyof typeof queries, fields(world));
      const expected = typeof data === 'function' ? data(dialect) : data;
      const envelope = { id: 'string', status: 'string', type: 'string', organizationId: 'string', timestampMs: 'string' };
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(shapeOf(answer.body)).toEqual(dialect === 'spec' ? { activity: { ...envelope, result: expected } } : expected);
      if (dialect === 'turnkey') return;
      expect(answer.body.activity).toMatchObject({
        status: 'ACTIVITY_STATUS_COMPLETED',
        type: 'ACTIVITY_TYPE_UNKNOWN_V1',
        organizationId: world.root.organizationId,
      });
      expect(Number(answer.body.activity.timestampMs)).toBeGreaterThan(Date.now() - 60_000);
    });
  });
});

function expectSpec({ body }: Answer, name: string, intent: Shape, result: Shape): void {
  expect(shapeOf(body)).toEqual({
    activity: {
      id: 'string',
      status: 'string',
      type: 'string',
      organizationId: 'string',
      timestampMs: 'string',
      result: { activity: { type: 'string', intent: { [`${name}Intent`]: intent }, result: { [`${name}Result`]: result } } },
    },
  });
  expect(body.activity.result.activity.type).toBe(body.activity.type);
}

function expectTurnkey({ body }: Answer, params: object, { intentKey, resultKey, result, details }: ActivityCase): void {
  const { activity } = body;
  expect(shapeOf(activity)).toEqual({
    ...activityDetails('turnkey'),
    ...details,
    intent: { [intentKey]: shapeOf(params) },
    result: { [resultKey]: result },
  });
  expect(activity.intent[intentKey]).toEqual(params);
  expect(activity.votes[0]).toMatchObject({ activityId: activity.id, selection: 'VOTE_SELECTION_APPROVED' });
  expect(JSON.parse(activity.votes[0].message).parameters).toEqual(params);
}
