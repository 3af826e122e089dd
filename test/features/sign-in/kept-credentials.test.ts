import { afterAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, subOrganizationParams, userParams } from '../../support/world.ts';
import { approve, createPolicy, reject, someOf, submitPending } from '../policies/support.ts';
import { createCustomer, createReachable, mailSettings, newAddress } from './mail-support.ts';
import { createLinkedMember, link, loginParams, newSubject, oauthParams, providerParams, trust } from './oidc-support.ts';
import { boundToken, claimsOf, clientSignature, loginStatement, newestCode, wrong } from './otp-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
const issuer = await TestIssuer.start();
afterAll(() => Promise.all([inbox.stop(), issuer.close()]));

const dialects = ['spec', 'turnkey'] as const;

/** Everything that a user can read about the activities of the organization, in both dialects. */
async function readable(caller: Caller, activityIds: readonly string[]): Promise<string> {
  const callers = dialects.map((dialect) => caller.with({ dialect }));
  const listed = callers.map((each) => each.data('listActivities', { paginationOptions: { limit: '100' } }));
  const single = callers.flatMap((each) => activityIds.map((activityId) => each.data('getActivity', { activityId })));
  const answers = await Promise.all([...listed, ...single]);
  for (const { activities } of answers.slice(0, listed.length))
    expect(activities.map(({ id }: Json) => id)).toEqual(expect.arrayContaining([...activityIds]));
  return JSON.stringify(answers);
}

describeEngines(
  'credentials in stored activities',
  (subject) => {
    const root = () => subject().service.root;

    async function codeFor(caller: Caller, contact: string, name: 'initOtp' | 'initOtpAuth' = 'initOtp') {
      const before = inbox.mails.filter(({ to }) => to === contact).length;
      const { otpId } = await caller.result(name, { otpType: 'OTP_TYPE_EMAIL', contact });
      return { otpId, otpCode: await newestCode(inbox, contact, before + 1) };
    }

    /** A token for a contact, without a key. */
    const openToken = async (caller: Caller, contact: string): Promise<string> =>
      (await caller.result('verifyOtp', await codeFor(caller, contact))).verificationToken;

    /** The activity of a submit, successful or not. */
    function activityIdOf({ body }: Answer): string {
      return body.activity?.id ?? body.details.find((detail: Json) => detail['@type'] === 'countersign/Activity').activityId;
    }

    describe.each(dialects)('submitted in the dialect %s', (dialect) => {
      test('D61: readers of activities see no code, no token and no client signature', async () => {
        const caller = root().with({ dialect });
        const { caller: reader, userId } = await createMember(root());
        const { email } = await createReachable(root());
        const secrets: string[] = [];
        const activityIds: string[] = [];
        const submit = async (name: Parameters<Caller['submit']>[0], params: object, hidden: readonly string[], status = 200) => {
          const answer = await caller.submit(name, params);
          expect(answer.status, JSON.stringify(answer.body)).toBe(status);
          secrets.push(...hidden);
          activityIds.push(activityIdOf(answer));
          return answer;
        };

        const first = await codeFor(root(), email);
        const guess = wrong(first.otpCode);
        await submit('verifyOtp', { ...first, otpCode: guess }, [guess], 400);
        await submit('verifyOtp', first, [first.otpCode]);
        const open = await openToken(root(), email);
        await submit('otpLogin', { verificationToken: open, publicKey: newApiKey().publicKey }, [open]);
        const [holder, session] = [newApiKey(), newApiKey()];
        const bound = await boundToken(root(), inbox, email, holder);
        const signature = clientSignature(holder, loginStatement(claimsOf(bound).id, session.publicKey));
        const login = { verificationToken: bound, publicKey: session.publicKey, clientSignature: signature };
        await submit('otpLogin', login, [bound, signature.signature]);
        const signIn = await codeFor(root(), email, 'initOtpAuth');
        await submit('otpAuth', { ...signIn, targetPublicKey: newTarget().hex }, [signIn.otpCode]);
        const address = newAddress();
        const proof = await boundToken(root(), inbox, address, newApiKey());
        await submit('updateUserEmail', { userId, userEmail: address, verificationToken: proof }, [proof]);

        const linked = await createLinkedMember(root(), issuer);
        const { params: oauth } = await oauthParams(issuer, linked.sub);
        await submit('oauth', oauth, [oauth.oidcToken]);
        const { params: oauthLogin } = await loginParams(issuer, linked.sub);
        await submit('oauthLogin', oauthLogin, [oauthLogin.oidcToken]);
        const provider = providerParams(await issuer.token({ sub: newSubject() }));
        await submit('createOauthProviders', { userId, oauthProviders: [provider] }, [provider.oidcToken]);
        const nested = providerParams(await issuer.token({ sub: newSubject() }));
        const { userTags: _, ...rootUser } = { ...userParams(newApiKey()), oauthProviders: [nested] };
        const customer = subOrganizationParams(newApiKey(), { rootUsers: [rootUser] });
        await submit('createSubOrganization', customer, [nested.oidcToken]);

        for (const who of [reader, root()]) {
          const text = await readable(who, activityIds);
          expect(secrets.filter((secret) => secret.length < 6 || text.includes(secret))).toEqual([]);
        }
      });

      test('shown activities keep their form, and stored ones are complete', async () => {
        const caller = root().with({ dialect });
        const { email } = await createReachable(root());
        const verificationToken = await openToken(root(), email);
        const params = { verificationToken, publicKey: newApiKey().publicKey };
        const body = caller.submitBody('otpLogin', params);
        const answer = await caller.send(caller.submitPath('otpLogin'), body);
        const { id } = answer.body.activity;
        for (const each of dialects) {
          const { activity } = await root().with({ dialect: each }).data('getActivity', { activityId: id });
          expect(activity.intent).toEqual({ otpLoginIntent: { ...params, verificationToken: '' } });
          expect(activity.votes).toMatchObject([{ message: '', signature: expect.stringMatching(/^[0-9a-f]{100,}$/) }]);
        }
        const { services } = subject().service;
        const record = await services.organizations.activities.get(root().organizationId, id);
        expect(record).toMatchObject({ intent: params, votes: [{ message: body }] });
        // The answer shows submitters what they sent, also when they repeat the request.
        const again = await caller.send(caller.submitPath('otpLogin'), body);
        for (const { body: shown } of [answer, again]) expect(JSON.stringify(shown)).toContain(verificationToken);
      });
    });

    test('a token without a key works once in each sub-organization, but other users there cannot read it', async () => {
      const [shared, alone] = [await createCustomer(root()), await createCustomer(root())];
      await alone.own.result('updateUserEmail', { userId: alone.userId, userEmail: shared.email });
      const { caller: mallory } = await createMember(shared.own);
      const verificationToken = await openToken(root(), shared.email);
      const login = (where: Caller) => where.submit('otpLogin', { verificationToken, publicKey: newApiKey().publicKey });
      const first = await login(shared.backend);
      expect(first.status).toBe(200);
      expect(await readable(mallory, [activityIdOf(first)])).not.toContain(verificationToken);
      expect((await login(shared.backend)).status).toBe(400);
      expect((await login(alone.backend)).status).toBe(200);
    });

    test('the answer to a vote shows no more of another user’s activity', async () => {
      const { own } = await createCustomer(root());
      const [a, b] = [await createMember(own), await createMember(own)];
      const consensus = someOf(2, [a, b]);
      await createPolicy(own, 'ALLOW', { condition: "activity.resource == 'AUTH'", consensus });
      for (const dialect of dialects) {
        for (const vote of [approve, reject]) {
          const reached = await createReachable(own);
          const sub = newSubject();
          await link(own, reached.userId, await issuer.token({ sub }));
          const { params } = await loginParams(issuer, sub);
          const pending = await submitPending(a.caller, 'oauthLogin', params);
          const answer = await vote({ caller: b.caller.with({ dialect }) }, pending);
          expect(answer.body.activity).toMatchObject({ id: pending.id, status: expect.stringMatching(/COMPLETED|REJECTED/) });
          expect(JSON.stringify(answer.body)).not.toContain(params.oidcToken);
        }
      }
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)], bindIdentityLinks: false } },
);
