import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

describeEngines('processes that share a log', (subject) => {
  test('a follower takes over the log when the other process ends', async () => {
    const { root, services } = subject().service;
    const { log } = services.store;
    const key = await createPrivateKey(root);
    const allAreLeaves = () => expect.poll(async () => (await log.queued(1)).length, { timeout: 60_000 }).toBe(0);
    const other = await startService(subject().installation);
    for (const caller of [root.with({ url: other.url }), root]) await caller.submit('signRawPayload', signParams(key));
    await allAreLeaves();
    await other.close();
    const { body } = await root.submit('signRawPayload', signParams(key));
    await allAreLeaves();
    expect(await log.leafOf(root.organizationId, body.activity.id, 0)).toBeDefined();
  });
});
