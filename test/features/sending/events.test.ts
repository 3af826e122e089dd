import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization } from '../../support/world.ts';
import { createEndpoint, eventIdOf, isAuthentic } from '../webhooks/support.ts';
import { useReceivers } from '../webhooks/use-receivers.ts';
import { confirm, fundedAccount, pay, reach, sendingConfig } from './support.ts';

const SENDS = 'SEND_TRANSACTION_STATUS_UPDATES';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('events of sent transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;
    let raw: RawDatabase;
    const receiver = useReceivers(() => raw);

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      const config = { ...sendingConfig([anvil.url]), webhookNetworks: ['127.0.0.0/8'] };
      service = await startService(installation, { config });
      raw = await installation.raw();
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    test('an endpoint receives each new state, signed, and so does that of the parent', async () => {
      const { caller, organizationId } = await createSubOrganization(service.root);
      const [own, above] = [await receiver(), await receiver()];
      const subscriptions = [{ eventType: SENDS }];
      await createEndpoint(caller, own.url, { subscriptions });
      const endpointId = await createEndpoint(service.root, above.url, { subscriptions });
      await anvil.call('evm_setAutomine', [false]);
      const from = await fundedAccount(caller, anvil);
      const id = await pay(caller, from);
      const { eth } = await reach(caller, id, 'BROADCASTING');
      await anvil.mine(1);
      await reach(caller, id, 'INCLUDED');
      await confirm(caller, anvil, id);
      const told = await own.taken(3);
      expect(told.map(({ activity }) => activity.txStatus)).toEqual(['BROADCASTING', 'INCLUDED', 'COMPLETED']);
      expect(told[2]?.activity).toMatchObject({
        type: SENDS,
        organizationId,
        sendTransactionStatusId: id,
        txHash: eth.txHash,
        from: from.toLowerCase(),
      });
      expect(told[2]?.headers).toMatchObject({ 'x-turnkey-event-type': SENDS, 'x-turnkey-organization-id': organizationId });
      for (const delivery of told) expect(await isAuthentic(service.url, delivery)).toBe(true);
      expect((await above.taken(3)).map(eventIdOf)).toEqual(told.map(eventIdOf));
      await service.root.result('deleteWebhookEndpoint', { endpointId });
      await anvil.call('evm_setAutomine', [true]);
    });

    test('D946: endpoints without the subscription, and those of other organizations, receive nothing about it', async () => {
      const { caller } = await createSubOrganization(service.root);
      const { caller: stranger } = await createSubOrganization(service.root);
      const [activities, others] = [await receiver(), await receiver()];
      await createEndpoint(caller, activities.url);
      await createEndpoint(stranger, others.url, { subscriptions: [{ eventType: SENDS }] });
      const id = await pay(caller, await fundedAccount(caller, anvil));
      await confirm(caller, anvil, id);
      // The endpoint, the wallet and the payment.
      const told = await activities.taken(3);
      expect(told.map(({ headers }) => headers['x-turnkey-event-type'])).toEqual(Array(told.length).fill('ACTIVITY_UPDATES'));
      expect(await raw.all(`SELECT id FROM event_bodies WHERE body LIKE '%${id}%' AND body LIKE '%${SENDS}%'`)).toEqual([]);
      expect(others.deliveries).toEqual([]);
    });
  },
);
