import { expect, test } from 'vitest';
import { createPushSubscription } from '../../src/activities/credentials/create-push-subscription.ts';
import { emptyContent } from '../../src/organizations/snapshot/snapshot.ts';
import type { RunContext } from '../../src/pipeline/plan/executor.ts';
import { TestBrowser } from '../notify/push/browser.ts';
import { egressAllowlistIn } from '../notify/webhooks/names.ts';

test('A87: nobody’s name server is asked while the changes of an organization wait', async () => {
  let asked = 0;
  const pushEgress = egressAllowlistIn([], {
    'push.example.com': () => {
      asked += 1;
      return ['slow'];
    },
  });
  const { records } = emptyContent();
  const context = {
    organization: { records, apiKeys: records.apiKey, authenticators: records.authenticator },
    submitterId: 'ann',
    submittedWith: 'key',
    pushEgress,
    nowMs: 1_000,
    newId: () => 'new',
  } as unknown as RunContext;
  const params = { name: 'Phone', endpoint: 'https://push.example.com/ann', ...new TestBrowser().keys };
  const plan = await createPushSubscription.plan(context, params);
  const { result, changes } = await createPushSubscription.run(context, plan);
  expect(result).toEqual({ pushSubscriptionId: 'new' });
  expect(changes).toMatchObject([
    { op: 'putRecord', kind: 'pushSubscription', body: { userId: 'ann', subscribedWith: 'key', endpoint: params.endpoint } },
  ]);
  expect(asked).toBe(0);
});
