import { afterAll, expect, test } from 'vitest';
import { noteWanted, tellDue } from '../../../packages/server/src/notify/mail/approval-notices.ts';
import { noticeServices } from '../../../packages/server/src/process/start-notifier.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, type Member, signParams, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { policyParams, submitPending } from '../policies/support.ts';
import { startPushService } from '../push/push-service.ts';
import { mailSettings, newAddress, until } from '../sign-in/mail-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';

const [inbox, pushService] = [await startInbox(), await startPushService()];
afterAll(async () => {
  await inbox.stop();
  await pushService.close();
});

const FEATURE = 'FEATURE_NAME_APPROVAL_MAIL';
const config = { ...mailSettings(inbox), pushNetworks: ['127.0.0.1/32'], publicUrl: 'https://keys.example.com' };

describeEngines(
  'notices of freezes',
  (subject) => {
    const root = () => subject().service.root;
    let aheadMs = 0;
    const look = async () => {
      const { services } = subject().service;
      const notices = noticeServices({ services, backgroundClock: services.clock, log: { warn: () => {} } });
      // What was committed is in the log.
      await root().data('listLogEntries', { limit: '1' });
      while (await noteWanted(notices));
      while (await tellDue(notices));
    };
    /** Lets time pass after the service has scanned the log, and waits until all messages are delivered. */
    const later = async (ms = 90_000) => {
      await look();
      aheadMs += ms;
      subject().service.setAheadMs(aheadMs);
      await look();
      const waiting = () => subject().raw.all("SELECT id FROM outbox WHERE state = 'waiting'");
      await until('all messages are delivered', async () => (await waiting()).length === 0);
    };
    const mailsTo = ({ email }: { email: string }) => inbox.mails.filter(({ to }) => to === email);

    async function createPerson(own: Caller) {
      const [key, email] = [newApiKey(), newAddress()];
      const authenticators = [passkeyParams(new SoftwareAuthenticator())];
      const { userIds } = await own.result('createUsers', { users: [{ ...userParams(key), userEmail: email, authenticators }] });
      return { caller: own.with({ key }), userId: userIds[0] as string, email };
    }

    /** An organization at the top level whose root quorum is two people and the test, one of whom is enough. */
    async function emergencyTeam({ isOn = true } = {}) {
      const [ann, bob, guest] = [await createPerson(root()), await createPerson(root()), await createPerson(root())];
      const rootUserId = (await root().data('whoami')).userId as string;
      await root().result('updateRootQuorum', { threshold: 1, userIds: [rootUserId, ann.userId, bob.userId] });
      if (isOn) await root().result('setOrganizationFeature', { name: FEATURE, value: '5' });
      else await root().submit('removeOrganizationFeature', { name: FEATURE });
      // The first scan of an installation schedules nothing.
      await look();
      return { ann, bob, guest, rootUserId };
    }
    const unfreezeAll = async (...members: Member[]) => {
      await root().result('unfreeze', { userIds: members.map(({ userId }) => userId) });
      await later();
    };

    test('D383: a thief freezes the other root users, and they are told who froze what, when and why', async () => {
      const { ann, bob, guest } = await emergencyTeam();
      const keyId = await createPrivateKey(root());
      const answer = await bob.caller.submit('freeze', {
        userIds: [ann.userId],
        privateKeyIds: [keyId],
        reason: 'audit',
      });
      expect(answer.status).toBe(200);
      await later();
      const [mail] = mailsTo(ann);
      expect(mail?.subject).toBe('Something was frozen or unfrozen on Countersign');
      expect(mail?.text).toMatch(/UTC: User \d+ froze one user, one private key: "audit"/);
      expect(mail?.text).toContain(`https://keys.example.com/console/#/activities/${answer.body.activity.id}?organization=`);
      expect(mailsTo(bob)).toHaveLength(1);
      expect(mailsTo(guest)).toEqual([]);
      await unfreezeAll(ann);
      const [, second] = mailsTo(ann);
      expect(second?.text).toContain('unfroze one user');
      await later();
      expect(mailsTo(ann)).toHaveLength(2);
    });

    test('D383: freezing again what is frozen sends nothing, and hides no other freeze', async () => {
      const { ann, bob, guest } = await emergencyTeam();
      await bob.caller.result('freeze', { userIds: [guest.userId], reason: 'the first' });
      for (let count = 0; count < 12; count++)
        await bob.caller.result('freeze', { userIds: [guest.userId], reason: `again ${count}` });
      await later();
      const [mail] = mailsTo(ann);
      expect(mail?.text).toContain('froze one user: "the first"');
      expect(mail?.text).not.toContain('again');
      await bob.caller.result('freeze', { userIds: [guest.userId], reason: 'and again' });
      await later(180_000);
      await later();
      expect(mailsTo(ann)).toHaveLength(1);
      await unfreezeAll(guest);
    });

    test('D383: pending activities use up neither the quota of notices of freezes nor their place at the push service', async () => {
      const { ann, guest } = await emergencyTeam();
      const browser = pushService.subscribe();
      await ann.caller.result('createPushSubscription', browser.params);
      const keyId = await createPrivateKey(root());
      const consensus = `approvers.any(user, user.id == '${guest.userId}') && approvers.any(user, user.id == '${ann.userId}')`;
      await root().result('createPolicy', policyParams('ALLOW', { condition: `private_key.id == '${keyId}'`, consensus }));
      await submitPending(guest.caller, 'signRawPayload', signParams(keyId));
      await later();
      const { id } = (await root().submit('freeze', { userIds: [guest.userId], reason: 'stolen phone' })).body.activity;
      await later();
      const [approval, freeze] = await browser.got(2);
      expect(approval).not.toHaveProperty('about');
      expect(freeze).toEqual({
        organizationId: root().organizationId,
        about: 'FREEZES',
        activityId: id,
        more: 0,
        sentence: expect.stringContaining('froze one user: "stolen phone"'),
      });
      expect(new Set(browser.pushed().map(({ headers }) => headers.topic)).size).toBe(2);
      const { store } = subject().service.services;
      const day = Math.floor((Date.now() + aheadMs) / 86_400_000);
      const used = (name: string) => store.counters.amount({ organizationId: root().organizationId, name, day });
      expect(await used('freeze-messages/PUSH')).toBeGreaterThan(0);
      await unfreezeAll(guest);
    });

    test('D384: an approver who was frozen after the request gets no more notices of it, and other approvers do', async () => {
      const { bob, guest } = await emergencyTeam();
      const frozen = await createPerson(root());
      const keyId = await createPrivateKey(root());
      const ids = [bob, frozen].map(({ userId }) => `'${userId}'`).join(', ');
      const consensus = `approvers.any(user, user.id == '${guest.userId}') && approvers.any(user, user.id in [${ids}])`;
      await root().result('createPolicy', policyParams('ALLOW', { condition: `private_key.id == '${keyId}'`, consensus }));
      await submitPending(guest.caller, 'signRawPayload', signParams(keyId));
      await root().result('freeze', { userIds: [frozen.userId], reason: uniqueName('left') });
      await later();
      expect(mailsTo(frozen)).toEqual([]);
      const subjects = mailsTo(bob).map((mail) => mail.subject);
      expect(subjects).toContain('One request is pending your approval on Countersign');
      await unfreezeAll(frozen);
    });

    test('D383: an organization that sends no notices sends none of freezes', async () => {
      const { ann, guest } = await emergencyTeam({ isOn: false });
      await root().result('freeze', { userIds: [guest.userId], reason: 'left' });
      await later();
      expect(mailsTo(ann)).toEqual([]);
    });

    test('metrics count what was frozen and unfrozen, by kind', async () => {
      const { statistics } = subject().service.services;
      const counted = async () =>
        (await statistics.metrics.expose())
          .split('\n')
          .filter((line) => line.startsWith('countersign_freezes_total{target="PRIVATE'));
      const before = await counted();
      const privateKeyIds = [await createPrivateKey(root()), await createPrivateKey(root())];
      await root().result('freeze', { privateKeyIds, reason: 'lost' });
      await root().result('freeze', { privateKeyIds, reason: 'lost again' });
      await root().result('unfreeze', { privateKeyIds: privateKeyIds.slice(0, 1) });
      const number = (lines: string[], change: string) =>
        Number(lines.find((line) => line.includes(`change="${change}"`))?.split(' ')[1] ?? 0);
      const after = await counted();
      expect(number(after, 'frozen') - number(before, 'frozen')).toBe(2);
      expect(number(after, 'unfrozen') - number(before, 'unfrozen')).toBe(1);
    });

    test('D196: a notice of a freeze contains no text of sub-organization users', async () => {
      const [key, email] = [newApiKey(), newAddress()];
      const { userTags: _, ...rootUser } = { ...userParams(key), userEmail: email };
      const params = subOrganizationParams(key, {
        subOrganizationName: 'Win a prize at evil.example',
        rootUsers: [{ ...rootUser, authenticators: [passkeyParams(new SoftwareAuthenticator())] }],
      });
      const { subOrganizationId: organizationId } = await root().result('createSubOrganization', params);
      const own = root().with({ key, organizationId });
      await own.result('setOrganizationFeature', { name: FEATURE, value: '' });
      await own.result('freeze', { wholeOrganization: true, reason: 'evil.example has your prize' });
      await later();
      const [mail] = mailsTo({ email });
      expect(mail?.text).toContain('https://keys.example.com/console/#/activities/');
      expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toMatch(/evil|prize|froze one/);
    });
  },
  { config },
);
