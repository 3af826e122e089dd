import { afterAll, expect, test } from 'vitest';
import { noteWanted, tellDue } from '../../../packages/server/src/notify/mail/approval-notices.ts';
import { noticeServices } from '../../../packages/server/src/process/start-notifier.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { readVapid } from '../../../packages/server/test/notify/push/browser.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, type Member, signParams, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { submitPending } from '../policies/support.ts';
import { until } from '../sign-in/mail-support.ts';
import { type Subscribed, startPushService } from './push-service.ts';

const pushService = await startPushService();
afterAll(() => pushService.close());

const FEATURE = 'FEATURE_NAME_APPROVAL_MAIL';
const SOON_MS = 20_000;
const REST_MS = 600_000;
const config = { pushNetworks: ['127.0.0.1/32'], publicUrl: 'https://keys.example.com' };

describeEngines(
  'push messages about approvals',
  (subject) => {
    const root = () => subject().service.root;
    /** The clock of the service only goes ahead. Each test has users of its own, whom nobody has told anything. */
    let aheadMs = 0;
    const look = async () => {
      const { services } = subject().service;
      const notices = noticeServices({ services, backgroundClock: services.clock, log: { warn: () => {} } });
      // What was committed is in the log.
      await root().data('listLogEntries', { limit: '1' });
      while (await noteWanted(notices));
      while (await tellDue(notices));
    };
    /** Lets time go by, after the service has seen what happened before, and looks again. */
    const later = async (ms: number) => {
      await look();
      aheadMs += ms;
      subject().service.setAheadMs(aheadMs);
      await look();
    };
    const outbox = (state: string) => subject().raw.all('SELECT * FROM outbox WHERE state = ?', state);
    const settled = () => until('nothing waits in the outbox', async () => (await outbox('waiting')).length === 0);

    async function createPerson(own: Caller, { passkey = true } = {}): Promise<Member> {
      const key = newApiKey();
      const authenticators = passkey ? [passkeyParams(new SoftwareAuthenticator())] : [];
      const { userIds } = await own.result('createUsers', { users: [{ ...userParams(key), authenticators }] });
      return { caller: own.with({ key }), userId: userIds[0] };
    }

    async function subscribed({ caller }: Member): Promise<Subscribed & { readonly id: string }> {
      const browser = pushService.subscribe();
      const { pushSubscriptionId } = await caller.result('createPushSubscription', browser.params);
      return { ...browser, id: pushSubscriptionId };
    }

    /** Somebody whose signatures wait for the others. */
    async function treasury(own: Caller, people: readonly Member[]) {
      const asker = await createPerson(own);
      const ids = people.map(({ userId }) => `'${userId}'`).join(', ');
      const keyId = await createPrivateKey(own);
      await own.result('createPolicy', {
        policyName: uniqueName('Two'),
        effect: 'EFFECT_ALLOW',
        condition: `private_key.id == '${keyId}'`,
        consensus: `approvers.any(user, user.id == '${asker.userId}') && approvers.any(user, user.id in [${ids}])`,
      });
      // The very first look of an installation tells nothing of what waited before it.
      await look();
      return { asker, ask: () => submitPending(asker.caller, 'signRawPayload', signParams(keyId)) };
    }

    const turnOn = (own: Caller) => own.result('setOrganizationFeature', { name: FEATURE, value: '5' });
    const listed = async ({ caller }: Member) => (await caller.data('listPushSubscriptions')).pushSubscriptions;

    test('A83: each browser of the requested approvers gets the encrypted summary and id, and no way to approve', async () => {
      await turnOn(root());
      const [ann, machine] = [await createPerson(root()), await createPerson(root(), { passkey: false })];
      const [phone, desk, rack] = [await subscribed(ann), await subscribed(ann), await subscribed(machine)];
      const { ask, asker } = await treasury(root(), [ann, machine]);
      const other = await subscribed(asker);
      await ask();
      const { id } = await ask();
      await later(SOON_MS);
      const { organizationId } = root();
      const expected = {
        organizationId,
        activityId: id,
        more: 1,
        sentence: expect.stringContaining('asks: Sign one raw payload'),
      };
      expect(await phone.got(1)).toEqual([expected]);
      expect(await desk.got(1)).toEqual([expected]);
      await settled();
      expect([rack.pushed(), other.pushed()]).toEqual([[], []]);

      const [{ headers, body }] = phone.pushed() as [ReturnType<typeof phone.pushed>[number]];
      expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' });
      expect(headers.topic).toMatch(/^[\w-]{32}$/);
      const { applicationServerKey } = await ann.caller.data('listPushSubscriptions');
      const { claims, key } = readVapid(headers.authorization ?? '');
      expect(claims).toMatchObject({ aud: pushService.origin, sub: 'https://keys.example.com' });
      expect(key).toBe(applicationServerKey);
      expect(body.includes('asks')).toBe(false);
      const log = subject().service.logText();
      for (const { params } of [phone, desk])
        for (const secret of [params.endpoint, params.auth]) expect(log).not.toContain(secret);
      expect(log).not.toContain('asks: Sign');
    });

    test('a 404 or 410 of the push service ends the subscription', async () => {
      await turnOn(root());
      const ann = await createPerson(root());
      const [gone, unknown, there] = [await subscribed(ann), await subscribed(ann), await subscribed(ann)];
      gone.answer({ status: 410 });
      unknown.answer({ status: 404 });
      const { ask } = await treasury(root(), [ann]);
      await ask();
      await later(SOON_MS);
      await there.got(1);
      await until('one subscription is left', async () => (await listed(ann)).length === 1);
      await settled();
      await ask();
      await later(6 * 60_000);
      await there.got(2);
      await settled();
      expect([gone.pushed().length, unknown.pushed().length]).toEqual([1, 1]);
      expect((await listed(ann))[0].pushSubscriptionId).toBe(there.id);
    });

    test('respects Retry-After of the push service, then delivers', async () => {
      await turnOn(root());
      const ann = await createPerson(root());
      const busy = await subscribed(ann);
      busy.answer({ status: 429, headers: { 'retry-after': '600' } });
      const { ask } = await treasury(root(), [ann]);
      const askedMs = subject().service.services.clock.nowMs();
      await ask();
      await later(SOON_MS);
      const due = async () =>
        Number((await outbox('waiting')).find(({ fault }) => String(fault).includes('429'))?.due_at_ms ?? 0);
      await until('the message waits', async () => (await due()) > 0);
      expect(await due()).toBeGreaterThanOrEqual(askedMs + REST_MS);
      expect(busy.pushed()).toHaveLength(1);
      busy.answer({ status: 201 });
      await later(REST_MS + SOON_MS);
      expect(await busy.got(2)).toHaveLength(2);
      await settled();
    });

    test('A84: does not follow a redirect, and drops the message', async () => {
      await turnOn(root());
      const ann = await createPerson(root());
      const [moved, elsewhere] = [await subscribed(ann), pushService.subscribe()];
      moved.answer({ status: 307, headers: { location: elsewhere.params.endpoint } });
      const { ask } = await treasury(root(), [ann]);
      await ask();
      await later(SOON_MS);
      await until('the message is parked', async () =>
        (await outbox('parked')).some(({ fault }) => String(fault).includes('307')),
      );
      expect(moved.pushed()).toHaveLength(1);
      expect(elsewhere.pushed()).toEqual([]);
    });

    test('a subscription that is removed while its message is queued gets nothing', async () => {
      await turnOn(root());
      const ann = await createPerson(root());
      const [removed, kept] = [await subscribed(ann), await subscribed(ann)];
      removed.answer({ status: 503 });
      const { ask } = await treasury(root(), [ann]);
      await ask();
      await later(SOON_MS);
      await kept.got(1);
      await until('an attempt was made', () => removed.pushed().length > 0);
      await ann.caller.result('deletePushSubscription', { pushSubscriptionId: removed.id });
      const attempts = removed.pushed().length;
      await later(60_000);
      await settled();
      // One more may have been under way.
      expect(removed.pushed().length).toBeLessThanOrEqual(attempts + 1);
      expect(removed.pushed().every(({ status }) => status === 503)).toBe(true);
    });

    test('D196: push messages contain no text of sub-organization users', async () => {
      const key = newApiKey();
      const params = subOrganizationParams(key, { subOrganizationName: 'Win a prize at evil.example' });
      const { subOrganizationId: organizationId } = await root().result('createSubOrganization', params);
      const own = root().with({ key, organizationId });
      await turnOn(own);
      const ann = await createPerson(own);
      const browser = await subscribed(ann);
      const { ask } = await treasury(own, [ann]);
      const { id } = await ask();
      await later(SOON_MS);
      expect(await browser.got(1)).toEqual([{ organizationId, activityId: id, more: 0 }]);
    });

    test('is disabled by default', async () => {
      await root().submit('removeOrganizationFeature', { name: FEATURE });
      const ann = await createPerson(root());
      const browser = await subscribed(ann);
      const { ask } = await treasury(root(), [ann]);
      await ask();
      await later(SOON_MS);
      await settled();
      expect(browser.pushed()).toEqual([]);
    });
  },
  { config },
);
