import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { isExhaustive } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { apiKeyParams, createWallet, signParams } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { createOrganization, createPolicy, memberAt, someOf, userIs } from '../policies/support.ts';
import { createCustomer, mailSettings } from '../sign-in/mail-support.ts';
import { newestCode } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { limitSignatures } from '../usage/support.ts';
import { exportAudit, verifyText } from './audit-support.ts';
import { forge, forgedLogKey } from './forge.ts';
import { mutations } from './mutate.ts';

const method = (name: string) => ({ any: [{ type: `AUTHENTICATION_TYPE_${name}` }] });

/** Edits of each file. */
const COUNT = Number(process.env.AUDIT_MUTATIONS ?? (isExhaustive ? 1500 : 300));
const SEED = Number(process.env.AUDIT_SEED ?? 20_261);

const inbox = await startInbox();
afterAll(() => inbox.stop());

/** On one engine: what is in a file does not depend on it, and `audit-heads.test.ts` reads files from both. */
describe('edited audit files', () => {
  let installation: Installation;
  let service: TestService;
  const files = new Map<string, string>();

  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation, { config: mailSettings(inbox) });
    const [root, sub] = [await rootFile(service), await subFile(service)];
    for (const version of [1, 2] as const) {
      files.set(
        `root ${version}`,
        forge(root, () => undefined, { version }),
      );
      files.set(
        `sub ${version}`,
        forge(sub, () => undefined, { version }),
      );
    }
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  test.each([
    ['root 2', 'of an organization'],
    ['sub 2', 'of a sub-organization whose parent acts in it'],
    ['root 1', 'of an organization, in the earlier format'],
    ['sub 1', 'of a sub-organization, in the earlier format'],
  ])(
    'D102: hundreds of edits of a file are rejected: %s, %s',
    async (name) => {
      const text = files.get(name) as string;
      const control = await verifyText(text, forgedLogKey);
      expect(control, JSON.stringify(control)).toMatchObject({ ok: true });
      const others = [...files.values()];
      const withheld = control.ok ? control.report.bodiesWithheld : 0;
      const accepted: string[] = [];
      const reasons = new Set<string>();
      let tried = 0;
      for (const { text: edited, what } of mutations(text, COUNT, SEED, others)) {
        tried++;
        const verdict = await verifyText(edited, forgedLogKey);
        if (!verdict.ok) reasons.add(verdict.failure.reason);
        else if (!isStated(name, what, verdict.report.bodiesWithheld - withheld))
          accepted.push(`${what}: ${JSON.stringify(verdict.report)}`);
      }
      expect(accepted).toEqual([]);
      expect(tried).toBe(COUNT);
      expect(reasons.size).toBeGreaterThan(20);
    },
    900_000,
  );
});

/**
 * Edits that a verifier cannot see or that its report shows.
 * - `since` and `until` that select the same content are harmless: the report states the times of the leaves.
 * - A body of a denied request may be absent, because the service does not store long ones. The report counts it.
 * - The earlier format commits neither to the bytes of votes nor to the newest leaf, and its report says so.
 */
function isStated(name: string, what: string, moreWithheld: number): boolean {
  if (/line 1\/(since|until)/.test(what)) return true;
  if (/^delete .*\/vote\/body$/.test(what) && moreWithheld === 1) return true;
  return name.endsWith('1') && /^(mirror|replace|pass leaf)/.test(what);
}

async function rootFile({ root: parent }: TestService): Promise<string> {
  const organization = await createOrganization(parent.with({ dialect: 'turnkey' }), { roots: 2, members: 3 });
  const { root, members } = organization;
  const [alice, bob, carol] = [0, 1, 2].map((index) => memberAt(organization, index)) as [Member, Member, Member];
  type Member = (typeof members)[number];
  const { addresses } = await createWallet(root);
  const address = addresses[0] as string;
  await limitSignatures(root, { threshold: '4' });
  await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN' && controls.few", consensus: userIs(alice) });
  await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: someOf(2, members.slice(1)) });
  for (let count = 0; count < 3; count++) await alice.caller.submit('signRawPayload', signParams(address));
  for (const vote of ['approveActivity', 'rejectActivity'] as const) {
    const asked = await bob.caller.submit('signRawPayload', signParams(address));
    await carol.caller.submit(vote, { fingerprint: asked.body.activity.fingerprint });
  }
  const params = { userId: alice.userId, apiKeys: [apiKeyParams(newApiKey('SIGNATURE_SCHEME_TK_API_SECP256K1'))] };
  expect((await carol.caller.submit('createApiKeys', params)).status).toBe(403);
  // Bob's approval counts once he has shown two methods.
  const passkey = new SoftwareAuthenticator();
  await root.result('createAuthenticators', { userId: bob.userId, authenticators: [passkeyParams(passkey)] });
  await root.result('createMfaPolicy', {
    userId: bob.userId,
    mfaPolicyName: 'two methods',
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [method('API_KEY'), method('PASSKEY')],
    order: 0,
  });
  const pending = await bob.caller.submit('signRawPayload', signParams(address));
  const { fingerprint } = pending.body.activity;
  const approval = bob.caller.submitBody('approveActivity', { fingerprint });
  await sendWithPasskey(bob.caller, passkey, bob.caller.submitPath('approveActivity'), approval);
  await carol.caller.submit('approveActivity', { fingerprint });
  const session = newApiKey();
  await alice.caller.result('stampLogin', { publicKey: session.publicKey });
  await alice.caller.with({ key: session }).submit('signRawPayload', signParams(address));
  return exportAudit(root);
}

async function subFile({ root }: TestService): Promise<string> {
  const { backend, own, email } = await createCustomer(root);
  const { otpId } = await backend.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: email });
  const otpCode = await newestCode(inbox, email);
  await backend.result('otpAuth', { otpId, otpCode, targetPublicKey: newTarget().hex });
  await own.result('emailAuth', { email, targetPublicKey: newTarget().hex });
  const { addresses } = await createWallet(own);
  await own.result('signRawPayload', signParams(addresses[0] as string));
  return exportAudit(own);
}
