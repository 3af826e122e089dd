import { queries } from '@countersign/contract';
import { expect, test } from 'vitest';
import { NOW, organization } from '../../../judgement/test/support/world.ts';
import type { Authenticated } from '../../src/pipeline/authenticate/authenticate.ts';
import { authorizeReading } from '../../src/pipeline/authorize/authorize-reading.ts';

const long = Array.from({ length: 2_500 }, () => '1<2').join('&&');

/** A user of an organization that restricts reading by this many long policies. */
function reader(count: number): Authenticated {
  const policies = Array.from({ length: count }, (_, at) => [`p${at}`, { condition: `activity.action == 'READ' && ${long}` }]);
  const where = organization([{ id: 'a' }], Object.fromEntries(policies), { threshold: 1, userIds: ['root'] });
  const profile = { ...where.profile, features: [{ name: 'FEATURE_NAME_READ_POLICIES' }] };
  const home = Object.create(where, { profile: { value: profile } }) as typeof where;
  return { caller: { userId: 'a', credentialId: 'a-key' } as Authenticated['caller'], home, target: home, atMs: NOW };
}

test('D434: a query under long policies yields while they are evaluated', async () => {
  let pauses = 0;
  const endSlice = () => {
    pauses += 1;
    return Promise.resolve();
  };
  expect(await authorizeReading(reader(6), queries.getOrganization, NOW, endSlice)).toBe('ALL');
  expect(pauses).toBeGreaterThan(queries.getOrganization.reads.resources.length);
});
