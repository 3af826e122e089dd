import { type ActivityVersion, activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import { refuseUnplanned, SHORT_REQUEST } from '../../src/pipeline/refuse-unplanned.ts';
import { NOW, organization, vote } from '../policies/world.ts';

const where = organization([{ id: 'a' }]);
const definition = activities.createUsers;
const version = definition.versions[0] as ActivityVersion;
const request = { definition, version, params: {}, home: where, target: where, votes: [vote('a')], nowMs: NOW };

test('a long request that nothing could allow is refused, and a short one is left to its plan', () => {
  expect(refuseUnplanned(request, SHORT_REQUEST + 1)?.decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  expect(refuseUnplanned(request, SHORT_REQUEST)).toBeUndefined();
});

test('D173: refused requests share no subject, so that what is remembered by it goes with each of them', () => {
  const subjects = [1, 2].map(() => refuseUnplanned(request, SHORT_REQUEST + 1)?.judgement.subject);
  expect(subjects[0]).toBeDefined();
  expect(subjects[0]).not.toBe(subjects[1]);
});
