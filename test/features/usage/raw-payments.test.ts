import { beforeEach, describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { createPolicy, userIs } from '../policies/support.ts';
import { createLimited, type Limited, limitEther, ONE, pointsOf, transferParams } from './support.ts';

const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' };
const greeting = Buffer.from('\x19Ethereum Signed Message:\n5hello').toString('hex');

describeEngines('D471: payments as raw payloads under a limit', (subject) => {
  let organization: Limited;

  beforeEach(async () => {
    organization = await createLimited(subject().service.root, "activity.kind == 'SIGN_TRANSACTION' && controls.ether", (root) =>
      limitEther(root, { threshold: '0.01' }),
    );
    const { root, member } = organization;
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(member) });
  });

  const unsigned = (thousandths: number) => transferParams(organization.address, thousandths).unsignedTransaction;
  const raw = (thousandths: number) =>
    organization.member.caller.submit('signRawPayload', {
      signWith: organization.address,
      payload: unsigned(thousandths),
      ...form,
    });
  const batch = (payloads: readonly string[]) =>
    organization.member.caller.submit('signRawPayloads', { signWith: organization.address, payloads, ...form });
  const totals = async () => (await pointsOf(subject().raw, organization.id)).map(({ total }) => total);

  test('each counts once, alone and in a batch, and the audit file agrees', async () => {
    expect((await raw(2)).status).toBe(200);
    expect((await batch([unsigned(1), unsigned(3), greeting])).status).toBe(200);
    expect((await organization.spend(1)).status).toBe(200);
    expect(await totals()).toEqual([2n, 6n, 7n].map((thousandths) => (thousandths * ONE) / 1_000n));
    const verdict = await verifyText(await exportAudit(organization.root), await logKey(subject().service.url));
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true, report: { countsChecked: 3 } });
  });

  describe('with a DENY above the limit', () => {
    beforeEach(() => createPolicy(organization.root, 'DENY', { condition: "activity.action == 'SIGN' && !controls.ether" }));

    test('the sum of a batch counts, and what is within the limit is signed', async () => {
      expect((await batch([unsigned(6), unsigned(6)])).status).toBe(403);
      expect((await batch([unsigned(3), unsigned(3)])).status).toBe(200);
      expect((await raw(5)).status).toBe(403);
      expect((await organization.spend(5)).status).toBe(403);
      expect((await raw(4)).status).toBe(200);
      expect((await raw(1)).status).toBe(403);
      expect(await totals()).toEqual([6n, 10n].map((thousandths) => (thousandths * ONE) / 1_000n));
    });

    test('a batch with something that cannot be read has no sum', async () => {
      expect((await batch([unsigned(1), greeting])).status).toBe(403);
      expect((await batch([unsigned(1)])).status).toBe(200);
    });
  });

  test('D37: an ALLOW on the limit alone signs the transaction, and not its bytes', async () => {
    const limited = await createLimited(subject().service.root, 'controls.ether', (root) => limitEther(root, { threshold: '1' }));
    const { unsignedTransaction: payload } = transferParams(limited.address, 1);
    const answer = await limited.member.caller.submit('signRawPayload', { signWith: limited.address, payload, ...form });
    expect(answer.status).toBe(403);
    expect((await limited.spend(1)).status).toBe(200);
  });
});
