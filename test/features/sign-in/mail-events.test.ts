import { afterAll, afterEach, expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, uniqueName } from '../../support/world.ts';
import { createCustomer, mailSettings, newAddress, until } from './mail-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
const locked = await startInbox({ login: { user: 'service', password: 'right' } });
afterAll(() => Promise.all([inbox.stop(), locked.stop()]));
afterEach(() => inbox.refuse(() => undefined));

async function eventsOf(caller: Caller, email: string, fields: object = {}): Promise<Json[]> {
  return (await caller.data('listEmailEvents', { email, ...fields })).emailEvents;
}

/** The events of an address, once there are so many. */
async function eventually(caller: Caller, email: string, count: number): Promise<Json[]> {
  await until(`there are ${count} events`, async () => (await eventsOf(caller, email)).length >= count);
  return eventsOf(caller, email);
}

const sendCode = (caller: Caller, contact: string) => caller.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });

describeEngines(
  'events of mails',
  (subject) => {
    test('an accepted mail has one Send, for its address in any case of letters, and no Delivery', async () => {
      const { root } = subject().service;
      const email = newAddress();
      await sendCode(root, email);
      const [event, ...more] = await eventually(root, email, 1);
      expect(more).toEqual([]);
      expect(event).toEqual({
        id: expect.any(String),
        organizationId: root.organizationId,
        messageId: expect.any(String),
        eventType: 'Send',
        fromAddress: 'no-reply@countersign.example',
        toAddress: email,
        timestamp: expect.stringMatching(/^\d{13}$/),
        createdAt: event?.timestamp,
        details: {},
      });
      const [mail] = await inbox.to(email);
      expect(mail?.headers['message-id']).toContain(event?.messageId);
      expect((await eventsOf(root, email.toUpperCase()))[0]?.id).toBe(event?.id);
      expect(await eventsOf(root, email, { eventType: 'Delivery' })).toEqual([]);
      expect(await eventsOf(root.with({ dialect: 'turnkey' }), email, { eventType: 'Send' })).toEqual([event]);
      expect((await root.query('listEmailEvents', { email, eventType: 'Open' })).status).toBe(400);
    });

    test('a mail that is accepted at the second attempt has a DeliveryDelay and a Send, and a rejected one a Bounce', async () => {
      const { root } = subject().service;
      const [late, never] = [newAddress(), newAddress()];
      let refusals = 0;
      inbox.refuse((address) => {
        if (address === never) return { code: 550, text: '5.1.1 no such mailbox' };
        return refusals++ === 0 ? { code: 450, text: '4.2.0 greylisted' } : undefined;
      });
      await sendCode(root, late);
      const [sent, delayed] = await eventually(root, late, 2);
      expect([sent?.eventType, sent?.details]).toEqual(['Send', {}]);
      expect(delayed?.eventType).toBe('DeliveryDelay');
      expect(delayed?.details).toEqual({ diagnosticCode: 'smtp; 450 4.2.0', deliveryDelayType: 'General' });
      expect(sent?.messageId).toBe(delayed?.messageId);
      await sendCode(root, never);
      const [bounce, ...more] = await eventually(root, never, 1);
      expect(more).toEqual([]);
      expect(bounce?.eventType).toBe('Bounce');
      expect(bounce?.details).toEqual({
        bounceType: 'Permanent',
        bounceSubType: 'General',
        diagnosticCode: 'smtp; 550 5.1.1',
      });
    });

    test('D1005: events are those of the own organization, are not found without the address, and the database has none', async () => {
      const { service, raw } = subject();
      const [one, other] = [await createCustomer(service.root), await createCustomer(service.root)];
      const shared = one.email;
      await one.backend.result('emailAuth', { email: shared, targetPublicKey: newTarget().hex });
      expect(await eventually(one.own, shared, 1)).toHaveLength(1);
      // The parent reads them in the sub-organization, and has none of its own. Another one has none, as for an address without mail.
      expect(await eventsOf(one.backend, shared)).toHaveLength(1);
      expect(await eventsOf(service.root, shared)).toEqual([]);
      expect(await eventsOf(other.own, shared)).toEqual([]);
      const [foreign, unknown] = await Promise.all(
        [shared, newAddress()].map((email) =>
          other.own.with({ organizationId: one.organizationId }).query('listEmailEvents', { email }),
        ),
      );
      expect(foreign?.status).not.toBe(200);
      expect(foreign?.body).toEqual(unknown?.body);

      await other.own.result('updateUser', { userId: other.userId, userEmail: shared });
      await other.backend.result('emailAuth', { email: shared, targetPublicKey: newTarget().hex });
      await eventually(other.own, shared, 1);
      const rows = await raw.all(
        'SELECT * FROM mail_events WHERE organization_id IN (?, ?)',
        one.organizationId,
        other.organizationId,
      );
      expect(rows).toHaveLength(2);
      expect(rows[0]?.recipient).not.toBe(rows[1]?.recipient);
      expect(JSON.stringify(rows)).not.toContain(shared);

      // A row that somebody moved to another organization is refused.
      const [mine, theirs] = [one.organizationId, other.organizationId].map((id) =>
        rows.find((row) => row.organization_id === id),
      );
      await raw.run(
        'UPDATE mail_events SET body = ? WHERE id = ?',
        '{"messageId":"forged","from":"x@y.example"}',
        mine?.id as string,
      );
      expect((await one.own.query('listEmailEvents', { email: shared })).status).toBe(500);
      await raw.run('UPDATE mail_events SET recipient = ? WHERE id = ?', mine?.recipient as string, theirs?.id as string);
      expect(await eventsOf(other.own, shared)).toEqual([]);
    });

    test('D1005: an organization that restricts reading shows them only to those who may read its users and activities', async () => {
      const { own } = await createCustomer(subject().service.root);
      const { caller } = await createMember(own);
      expect((await caller.query('listEmailEvents', { email: newAddress() })).status).toBe(200);
      await own.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
      const denied = await caller.query('listEmailEvents', { email: newAddress() });
      expect(denied.status).toBe(403);
      await own.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition: "activity.action == 'READ' && activity.resource in ['USER', 'ACTIVITY']",
        consensus: 'true',
      });
      expect((await caller.query('listEmailEvents', { email: newAddress() })).status).toBe(200);
    });
  },
  { config: mailSettings(inbox) },
);

describeEngines(
  'events of mails that the mail server takes from nobody',
  (subject) => {
    test('D1007: a rejected login of the operator delays a mail, and the event names neither the server nor its answer', async () => {
      const { root } = subject().service;
      const email = newAddress();
      await sendCode(root, email);
      const [event] = await eventually(root, email, 1);
      expect(event?.eventType).toBe('DeliveryDelay');
      expect(event?.details).toEqual({
        diagnosticCode: 'the mail server takes no mail now',
        deliveryDelayType: 'General',
      });
    });
  },
  { config: { ...mailSettings(locked), smtpUser: 'service', smtpPassword: 'wrong' } },
);
