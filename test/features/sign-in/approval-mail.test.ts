import { afterAll, expect, test } from 'vitest';
import { noteWanted, tellDue } from '../../../packages/server/src/notify/mail/approval-notices.ts';
import { noticeServices } from '../../../packages/server/src/process/start-notifier.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, errorOf, type Member, signParams, subOrganizationParams, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { submitPending } from '../policies/support.ts';
import { mailSettings, newAddress, until } from './mail-support.ts';
import { startInbox } from './smtp-inbox.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const FEATURE = 'FEATURE_NAME_APPROVAL_MAIL';
const MINUTE_MS = 60_000;
const config = { ...mailSettings(inbox), publicUrl: 'https://keys.example.com' };

interface Person extends Member {
  readonly email: string;
}

describeEngines(
  'mail about approvals',
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

    /** Looks as the service does from time to time, and waits until the mailer has delivered all. */
    async function inboxSettles(): Promise<void> {
      await look();
      const waiting = () => subject().raw.all("SELECT id FROM outbox WHERE state = 'waiting'");
      await until('all mail is delivered', async () => (await waiting()).length === 0);
    }

    async function createPerson(own: Caller, { passkey = true, hasEmail = true } = {}): Promise<Person> {
      const key = newApiKey();
      const email = newAddress();
      const params = {
        ...userParams(key),
        ...(hasEmail && { userEmail: email }),
        authenticators: passkey ? [passkeyParams(new SoftwareAuthenticator())] : [],
      };
      const { userIds } = await own.result('createUsers', { users: [params] });
      return { caller: own.with({ key }), userId: userIds[0], email };
    }

    /** Somebody whose signatures wait for the others. */
    async function treasury(own: Caller, people: readonly Person[]) {
      const asker = await createPerson(own, { hasEmail: false });
      const ids = people.map(({ userId }) => `'${userId}'`).join(', ');
      const keyId = await createPrivateKey(own.with({}));
      await own.result('createPolicy', {
        policyName: `Two of ${ids.slice(0, 60)}`,
        effect: 'EFFECT_ALLOW',
        condition: `private_key.id == '${keyId}'`,
        consensus: `approvers.any(user, user.id == '${asker.userId}') && approvers.any(user, user.id in [${ids}])`,
      });
      // The very first look of an installation tells nothing of what waited before it.
      await look();
      const ask = (reference?: string) =>
        submitPending(asker.caller, 'signRawPayload', signParams(keyId), reference === undefined ? {} : { reference });
      return { asker, ask };
    }

    const turnOn = (own: Caller, value = '') => own.result('setOrganizationFeature', { name: FEATURE, value });

    test('is sent to requested approvers with an address and a passkey, with the summary and a link', async () => {
      await turnOn(root());
      const [ann, bob] = [await createPerson(root()), await createPerson(root())];
      const machine = await createPerson(root(), { passkey: false });
      const stranger = await createPerson(root());
      const { ask, asker } = await treasury(root(), [ann, bob, machine]);
      const { id } = await ask();
      await inboxSettles();
      expect(inbox.mails.filter(({ to }) => to === ann.email)).toEqual([]);
      await later(20_000);
      const [mail] = await inbox.to(ann.email);
      expect(mail?.subject).toBe('One request is pending your approval on Countersign');
      expect(mail?.text).toContain('asks: Sign one raw payload');
      expect(mail?.text).toContain(`https://keys.example.com/console/#/approvals/${id}?organization=${root().organizationId}`);
      await inbox.to(bob.email);
      for (const { email } of [machine, stranger, asker]) expect(inbox.mails.some(({ to }) => to === email)).toBe(false);
    });

    test('D969: quotes the reference of a request as its requester’s, and leaves out what becomes a link', async () => {
      await turnOn(root());
      const ann = await createPerson(root());
      const { ask } = await treasury(root(), [ann]);
      await ask('Invoice INV-2041');
      await ask('x” Approved by the CFO: “');
      await ask('see evil.example now');
      await ask('“Approved” by the CFO');
      await later(20_000);
      const [mail] = await inbox.to(ann.email);
      expect(mail?.text).toContain('Reference, in the words of the requester: “Invoice INV-2041”');
      expect(mail?.text).toContain("Reference, in the words of the requester: “'Approved' by the CFO”");
      expect(mail?.text).not.toContain('evil.example');
      expect(mail?.text).not.toContain('x”');
    });

    test('is a digest, at most one per interval, without decided activities', async () => {
      await turnOn(root(), '10');
      const ann = await createPerson(root());
      const bob = await createPerson(root());
      const { ask } = await treasury(root(), [ann, bob]);
      await ask();
      await ask();
      await later(20_000);
      const [first] = await inbox.to(ann.email);
      expect(first?.subject).toContain('2 requests are pending');
      const third = await ask();
      await later(5 * MINUTE_MS);
      await inboxSettles();
      expect(inbox.mails.filter(({ to }) => to === ann.email)).toHaveLength(1);
      expect((await bob.caller.submit('approveActivity', { fingerprint: third.fingerprint })).status).toBe(200);
      await later(6 * MINUTE_MS);
      const [, second] = await inbox.to(ann.email, 2);
      expect(second?.subject).toContain('2 requests are pending');
      expect(second?.text).not.toContain(third.id);
    });

    test('is not sent to unverified addresses', async () => {
      await turnOn(root());
      const [ann, carl] = [await createPerson(root()), await createPerson(root())];
      await root().result('createPolicy', {
        policyName: `Own address of ${carl.userId}`,
        effect: 'EFFECT_ALLOW',
        condition: "activity.type == 'ACTIVITY_TYPE_UPDATE_USER_EMAIL'",
        consensus: `approvers.any(user, user.id == '${carl.userId}')`,
      });
      const claimed = newAddress();
      await carl.caller.result('updateUserEmail', { userId: carl.userId, userEmail: claimed });
      const { ask } = await treasury(root(), [ann, carl]);
      await ask();
      await later(20_000);
      await inbox.to(ann.email);
      await inboxSettles();
      for (const email of [claimed, carl.email]) expect(inbox.mails.some(({ to }) => to === email)).toBe(false);
    });

    test('is disabled by default, and the interval is bounded', async () => {
      await root().submit('removeOrganizationFeature', { name: FEATURE });
      const ann = await createPerson(root());
      const { ask } = await treasury(root(), [ann]);
      await ask();
      await later(20_000);
      await inboxSettles();
      expect(inbox.mails.some(({ to }) => to === ann.email)).toBe(false);
      for (const value of ['4', '1441', 'x', '1.5'])
        expect(errorOf(await root().submit('setOrganizationFeature', { name: FEATURE, value }))).toMatchObject({
          status: 400,
          fields: ['value'],
        });
    });

    test('D196: mail from the operator contains no text of sub-organization users', async () => {
      const key = newApiKey();
      const params = subOrganizationParams(key, { subOrganizationName: 'Win a prize at evil.example' });
      const { subOrganizationId: organizationId } = await root().result('createSubOrganization', params);
      const own = root().with({ key, organizationId });
      await turnOn(own);
      const ann = await createPerson(own);
      const { ask } = await treasury(own, [ann]);
      await ask();
      await later(20_000);
      const [mail] = await inbox.to(ann.email);
      expect(mail?.subject).toBe('One request is pending your approval on Countersign');
      expect(`${mail?.text}${mail?.html}`).not.toMatch(/evil|asks|Message/);
      expect(mail?.text).toContain('https://keys.example.com/console/#/approvals/');
    });

    test('D198: approval mails have their own small quota, separate from sign-in mails', async () => {
      await turnOn(root(), '5');
      const ann = await createPerson(root());
      const { ask } = await treasury(root(), [ann]);
      for (let count = 0; count < 15; count++) await ask();
      await later(20_000);
      const [mail] = await inbox.to(ann.email);
      expect(mail?.subject).toContain('15 requests are pending');
      expect(mail?.text).toContain('and 5 more');
      await inboxSettles();
      expect(inbox.mails.filter(({ to }) => to === ann.email)).toHaveLength(1);
      const { store } = subject().service.services;
      const day = Math.floor((Date.now() + aheadMs) / 86_400_000);
      const used = (name: string) => store.counters.amount({ organizationId: root().organizationId, name, day });
      expect(await used('messages/EMAIL')).toBe(0);
      expect(await used('approval-messages/EMAIL')).toBeGreaterThan(0);
    });
  },
  { config },
);
