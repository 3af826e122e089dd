import { type ActivityVersion, activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import { NOW, organization, vote } from '../../../judgement/test/support/world.ts';
import { denyEarly, SHORT_REQUEST, unreadJudgement } from '../../src/pipeline/authorize/authorize.ts';
import { emptyPlan } from '../../src/pipeline/plan/plan.ts';

const where = organization([{ id: 'a' }]);
const definition = activities.createUsers;
const version = definition.versions[0] as ActivityVersion;
const request = { definition, version, home: where, target: where, votes: [vote('a')], nowMs: NOW };

test('D160: denies a long request that nothing could allow, and leaves a short one to its plan', () => {
  expect(denyEarly(request, SHORT_REQUEST + 1)).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  expect(denyEarly(request, SHORT_REQUEST)).toBeUndefined();
});

test('D173: denied requests share no subject, so that caches by subject release each of them', () => {
  const subjects = [1, 2].map(() => unreadJudgement(request, emptyPlan()).subject);
  expect(subjects[0]).toBeDefined();
  expect(subjects[0]).not.toBe(subjects[1]);
});
