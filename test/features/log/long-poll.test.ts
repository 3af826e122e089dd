import { type ActivityStep, activitySteps, type LogRange } from '@countersign/client';
import { expect, test, vi } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { engines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { apiKeyParams, createMember, createPrivateKey, errorOf, signParams } from '../../support/world.ts';

/** Until a request has arrived there and is one of those that wait. */
async function waiting({ services }: TestService) {
  while (services.log.longPoll.size() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

describeEngines('long poll for the next step', (subject) => {
  const root = () => subject().service.root;

  const nextStep = async () => Number((await root().data('listLogEntries', {})).head.sequence) + 1;

  test('responds at the next step of the organization, not at the timeout', async () => {
    const key = await createPrivateKey(root());
    const from = String(await nextStep());
    const asked = root().data('listLogEntries', { from, waitSeconds: '25' });
    const { body } = await root().submit('signRawPayload', signParams(key));
    const { entries, head } = await asked;
    expect(entries.map(({ opening }: { opening: string }) => JSON.parse(opening).activityId)).toEqual([body.activity.id]);
    expect(head.sequence).toBe(from);
  });

  test('responds empty at the timeout, and immediately if steps exist', async () => {
    const next = await nextStep();
    expect((await root().data('listLogEntries', { from: String(next), waitSeconds: '1' })).entries).toEqual([]);
    expect((await root().data('listLogEntries', { from: String(next - 1), waitSeconds: '25' })).entries).toHaveLength(1);
    expect((await root().data('listLogEntries', { from: String(next), waitSeconds: '0' })).entries).toEqual([]);
    const bad = await root().query('listLogEntries', { waitSeconds: '26' });
    expect(errorOf(bad)).toMatchObject({ status: 400, fields: ['waitSeconds'] });
  });

  test.each(['waits', 'reads'])('D195: a credential that is removed while its request %s gets no data', async (during) => {
    const { userId } = await createMember(root());
    const key = newApiKey();
    const { apiKeyIds } = await root().result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    const from = String(await nextStep());
    const { proofs } = subject().service.services.log;
    const { excerptOf } = proofs;
    const endKey = () => root().result('deleteApiKeys', { userId, apiKeyIds });
    const reading = vi.spyOn(proofs, 'excerptOf');
    if (during === 'reads') reading.mockImplementationOnce((...range) => endKey().then(() => excerptOf(...range)));
    try {
      const asked = root().with({ key }).query('listLogEntries', { from, waitSeconds: '25' });
      if (during === 'waits') await waiting(subject().service).then(endKey);
      expect(errorOf(await asked)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    } finally {
      reading.mockRestore();
    }
  });

  test('the client follows until its loop ends', async () => {
    const key = await createPrivateKey(root());
    const from = await nextStep();
    const ended = new AbortController();
    const list = (range: LogRange) => root().data('listLogEntries', { ...range });
    const signed: string[] = [];
    const steps: ActivityStep[] = [];
    const sign = async () => {
      for (let count = 0; count < 3; count++) {
        const { body } = await root().submit('signRawPayload', signParams(key));
        signed.push(body.activity.id);
      }
    };
    const signing = sign();
    for await (const step of activitySteps(list, from, { follow: true, signal: ended.signal })) {
      steps.push(step);
      if (steps.length === 3) break;
    }
    await signing;
    expect(steps.map(({ activityId }) => activityId)).toEqual(signed);
    ended.abort();
    const late = activitySteps(list, from, { follow: true, signal: ended.signal });
    await expect(late.next()).rejects.toThrow('abort');
  });

  test('shutdown answers waiting requests', async () => {
    const second = await startService(subject().installation);
    const from = String(await nextStep());
    const asked = root().with({ url: second.url }).data('listLogEntries', { from, waitSeconds: '25' });
    await waiting(second);
    await second.close();
    expect((await asked).entries).toEqual([]);
  });
});

test('a step at another node ends the wait too', async () => {
  const installation = await engines.postgres();
  const nodes = [await startService(installation), await startService(installation)] as const;
  try {
    const [first, second] = nodes;
    const key = await createPrivateKey(first.root);
    const { head } = await first.root.data('listLogEntries', {});
    const from = String(Number(head.sequence) + 1);
    const asked = first.root.with({ url: second.url }).data('listLogEntries', { from, waitSeconds: '25' });
    await waiting(second);
    const { body } = await first.root.submit('signRawPayload', signParams(key));
    const { entries } = await asked;
    expect(JSON.parse(entries[0].opening).activityId).toBe(body.activity.id);
  } finally {
    for (const node of nodes) await node.close();
    await installation.remove();
  }
});
