import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeOf, serve } from '../../faults/fault/support/serving.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { createEndpoint, eventIdOf, gistsOf, nothingWaits, toLoopback, waitingEvents } from './support.ts';

const expected = ['CREATE_WEBHOOK_ENDPOINT', 'CREATE_PRIVATE_KEYS_V2', 'CREATE_PRIVATE_KEYS_V2'].map(
  (type) => `${type} COMPLETED`,
);

describe.each(Object.keys(engines) as Engine[])('R8: events survive the process that committed them on %s', (engine) => {
  let installation: Installation;
  let hook: Receiver;
  beforeEach(async () => {
    installation = await engines[engine]();
    hook = await startReceiver();
  });
  afterEach(async () => {
    await hook?.close();
    await installation?.remove();
  });

  test('a stopping service finishes its current delivery, and the next service delivers the rest', async () => {
    const first = await startService(installation, toLoopback);
    const { caller, organizationId } = await createSubOrganization(first.root);
    let begun = 0;
    let stopping = () => {};
    const stops = new Promise<void>((resolve) => {
      stopping = resolve;
    });
    hook.answer(async () => {
      begun += 1;
      if (begun > 1) return 503;
      await stops;
      return 200;
    });
    await createEndpoint(caller, hook.url);
    await createPrivateKey(caller);
    await createPrivateKey(caller);
    await expect.poll(() => begun, { interval: 5 }).toBe(1);
    const closed = first.close();
    // Deliveries stop after the listener has closed. Both are in this process, so a busy machine delays this timer, too.
    await sleep(500);
    stopping();
    await closed;
    expect(gistsOf(organizationId, hook.deliveries)).toEqual(expected.slice(0, 1));
    const raw = await installation.raw();
    expect(await waitingEvents(raw)).toHaveLength(2);

    hook.answer(() => 200);
    const second = await startService(installation, toLoopback);
    await hook.taken(3);
    await nothingWaits(raw);
    expect(gistsOf(organizationId, hook.deliveries)).toEqual(expected);
    await second.close();
    expect(await raw.all('SELECT * FROM event_leases')).toEqual([]);
  });

  test('kill -9 during a delivery: everything is delivered after the restart, in order', async () => {
    const serving = await serve(placeOf(installation), ['--webhook-networks', '127.0.0.1/32']);
    const { caller, organizationId } = await createSubOrganization(serving.root);
    const sending = new Promise<string>((resolve) => {
      hook.answer(({ headers }) => {
        resolve(headers['x-turnkey-event-id'] as string);
        return new Promise<number>(() => undefined);
      });
    });
    await createEndpoint(caller, hook.url);
    await createPrivateKey(caller);
    await createPrivateKey(caller);
    const underWay = await sending;
    await serving.kill();
    const raw = await installation.raw();
    expect(await waitingEvents(raw)).toHaveLength(3);

    hook.answer(() => 200);
    const service = await startService(installation, toLoopback);
    // The lease of the killed process has to expire.
    service.setAheadMs(20_000);
    const told = await hook.taken(3);
    await nothingWaits(raw);
    expect(gistsOf(organizationId, told)).toEqual(expected);
    expect(eventIdOf(told[0] as (typeof told)[0])).toBe(underWay);
    expect(hook.deliveries).toHaveLength(3);
    await service.close();
  });
});
