import { afterAll, expect, test } from 'vitest';
import { tellDue } from '../../../packages/server/src/notify/mail/approval-notices.ts';
import { noticeServices } from '../../../packages/server/src/process/start-notifier.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { mailSettings, newAddress, until } from '../sign-in/mail-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { createEndpoint, endpointsOf, nothingWaits, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const HOUR_MS = 3_600_000;
const config = { ...toLoopback.config, ...mailSettings(inbox), webhookRetryHours: 1, publicUrl: 'https://keys.example.com' };

describeEngines(
  'dead webhook endpoints',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('D538: are disabled with a notice and cost no more rows; a resumed one receives again', async () => {
      const { service, raw } = subject();
      const { root } = service;
      const email = newAddress();
      const authenticators = [passkeyParams(new SoftwareAuthenticator())];
      const users = [{ ...userParams(newApiKey()), userEmail: email, authenticators }];
      const { userIds } = await root.result('createUsers', { users });
      const rootUserId = (await root.data('whoami')).userId as string;
      await root.result('updateRootQuorum', { threshold: 1, userIds: [rootUserId, ...userIds] });
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_APPROVAL_MAIL', value: '5' });
      const [dead, alive] = [await receiver(), await receiver()];
      dead.answer(() => 503);
      const endpointId = await createEndpoint(root, dead.url, { name: 'Visit evil.example' });
      const otherId = await createEndpoint(root, alive.url);
      await createPrivateKey(root);
      await alive.taken(2);
      await dead.answered(1);
      service.setAheadMs(HOUR_MS + 60_000);
      const stateOf = async (id: string) =>
        (await root.data('getWebhookDeliveries')).deliveries.find((each: { endpointId: string }) => each.endpointId === id);
      await until('the endpoint is disabled', async () => (await stateOf(endpointId)).disabledAt !== undefined);
      await nothingWaits(raw);
      expect(await stateOf(endpointId)).toMatchObject({ waitingEvents: '0', dropped: { events: '3' } });
      expect((await stateOf(otherId)).disabledAt).toBeUndefined();
      const isActive = async () => Object.fromEntries((await endpointsOf(root)).map((each) => [each.endpointId, each.isActive]));
      expect(await isActive()).toEqual({ [endpointId]: false, [otherId]: true });
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toContain('countersign_webhook_endpoints_disabled_total 1');

      const { services } = service;
      service.setAheadMs(HOUR_MS + 180_000);
      const notices = noticeServices({ services, backgroundClock: services.clock, log: { warn: () => {} } });
      const mails = () => inbox.mails.filter(({ to }) => to === email);
      await until('the notice arrives', async () => {
        await tellDue(notices);
        return mails().length > 0;
      });
      expect(mails()).toHaveLength(1);
      const text = JSON.stringify(mails()[0]);
      expect(text).toContain('webhook endpoint');
      expect(text).not.toContain('evil.example');

      service.setAheadMs(0);
      const before = dead.deliveries.length;
      dead.answer(() => 200);
      await createPrivateKey(root);
      await alive.taken(3);
      expect(dead.deliveries).toHaveLength(before);
      await root.result('updateWebhookEndpoint', { endpointId, isActive: true });
      await createPrivateKey(root);
      await dead.taken(2);
      expect((await stateOf(endpointId)).disabledAt).toBeUndefined();
      for (const id of [endpointId, otherId]) await root.result('deleteWebhookEndpoint', { endpointId: id });
    });
  },
  { config },
);
