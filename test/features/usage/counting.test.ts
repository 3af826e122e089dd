import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { bodyOf } from '../../support/packed-rows.ts';
import { startService, type TestService } from '../../support/service.ts';
import { errorOf, signParams, uniqueName } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { createPolicy, fingerprintOf, memberAt, someOf } from '../policies/support.ts';
import { createCustomer } from '../sign-in/mail-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { createLimited, limitEther, limitSignatures, ONE, pointsOf, statuses, transferParams } from './support.ts';

const signs = "activity.action == 'SIGN' && controls.few";
const spends = "activity.action == 'SIGN' && controls.ether";
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
/** Mail is only put into the outbox. */
const config = { smtpUrl: 'smtp://127.0.0.1:1', mailFrom: 'Countersign <no-reply@countersign.example>' };
const signatureOf = ({ body }: Answer): Json => body.activity.result;

describeEngines(
  'usage of spending limits',
  (subject) => {
    let second: TestService;

    beforeAll(async () => {
      second = await startService(subject().installation, { config });
      return () => second.close();
    });

    const limited = (...given: Parameters<typeof createLimited> extends [unknown, ...infer Rest] ? Rest : never) =>
      createLimited(subject().service.root, ...given);

    test('D132: concurrent spenders at two services get exactly the limit, without conflicts', async () => {
      const { raw } = subject();
      const { id, spend } = await limited(spends, (root) => limitEther(root, { threshold: '0.1', seconds: 3600 }));
      const answers = await Promise.all(many(60, (index) => spend(1 + (index % 5), index % 2 === 0 ? undefined : second.url)));
      const { 200: signed = 0, 403: denied = 0 } = statuses(answers);
      const others = answers.filter(({ status }) => status !== 200 && status !== 403).map(({ body }) => body.message);
      expect(signed + denied, JSON.stringify([statuses(answers), new Set(others).size, others[0]])).toBe(60);
      const points = await pointsOf(raw, id);
      expect(points.map(({ revision }) => revision)).toEqual(many(signed, (index) => index + 1));
      const released = answers.reduce((sum, { status }, index) => (status === 200 ? sum + BigInt(1 + (index % 5)) : sum), 0n);
      expect(points.at(-1)?.total).toBe(released * 10n ** 15n);
      // Nothing that would still have fitted was refused.
      expect(released).toBeLessThanOrEqual(100n);
      const smallest = answers.reduce(
        (least, { status }, index) => (status === 403 ? Math.min(least, 1 + (index % 5)) : least),
        99,
      );
      expect(released + BigInt(smallest)).toBeGreaterThan(100n);
    });

    test('amounts are exact to eighteen digits', async () => {
      const { spend, member, address } = await limited(spends, (root) => limitEther(root, { threshold: '0.002999999999999999' }));
      expect((await spend(2)).status).toBe(200);
      expect((await spend(1)).status).toBe(403);
      const params = transferParams(address, 1);
      const least = params.unsignedTransaction.replace('87038d7ea4c68000', '87038d7ea4c67fff');
      expect(least).not.toBe(params.unsignedTransaction);
      expect((await member.caller.submit('signTransaction', { ...params, unsignedTransaction: least })).status).toBe(200);
      expect((await spend(1)).status).toBe(403);
    });

    test('denied, failed and pending activities do not count, and a pending one is authorized again at execution', async () => {
      const { service, raw } = subject();
      const organization = await limited(signs, (root) => limitSignatures(root, { threshold: '2' }));
      const { id, root, sign, address, member } = organization;
      const other = memberAt(organization, 1);
      expect((await other.caller.submit('signRawPayload', signParams(address))).status).toBe(403);
      await createPolicy(root, 'ALLOW', { condition: signs, consensus: someOf(2, [member, other]) });
      const path = other.caller.submitPath('signRawPayload');
      const bodies = many(2, () => other.caller.submitBody('signRawPayload', signParams(address)));
      for (const body of bodies)
        expect((await other.caller.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      expect(await pointsOf(raw, id)).toEqual([]);
      const [fingerprint, late] = bodies.map(fingerprintOf);
      expect((await member.caller.submit('approveActivity', { fingerprint })).status).toBe(200);
      expect((await sign()).status).toBe(200);
      expect((await pointsOf(raw, id)).map(({ total }) => total)).toEqual([ONE, 2n * ONE]);
      // Both limits are used up by now: the vote that would carry it out finds it denied.
      const refused = await member.caller.submit('approveActivity', { fingerprint: late });
      expect(errorOf(refused)).toMatchObject({ code: 'POLICY_DENIED' });
      expect((await sign(service.url)).status).toBe(403);
      expect(await pointsOf(raw, id)).toHaveLength(2);
    });

    test('D133: a repeated body counts once and gets the same signature at every service, also after a restart', async () => {
      const { service, raw, installation } = subject();
      const { id, member, address, sign } = await limited(signs, (root) => limitSignatures(root, { threshold: '2' }));
      const path = member.caller.submitPath('signRawPayload');
      const body = member.caller.submitBody('signRawPayload', signParams(address));
      const first = await Promise.all(
        many(6, (index) => member.caller.with({ url: [service.url, second.url][index % 2] as string }).send(path, body)),
      );
      expect(new Set(first.map((answer) => JSON.stringify(signatureOf(answer)))).size).toBe(1);
      expect((await sign()).status).toBe(200);
      const later = await startService(installation);
      // The limit is used up. What was counted is answered all the same.
      const repeated = await member.caller.with({ url: later.url }).send(path, body);
      expect(signatureOf(repeated)).toEqual(signatureOf(first[0] as Answer));
      expect((await sign(later.url)).status).toBe(403);
      await later.close();
      expect(await pointsOf(raw, id)).toHaveLength(2);
    });

    test('D134: amounts expire with the window, and a clock set back expires nothing', async () => {
      const { service } = subject();
      const { spend } = await limited(spends, (root) => limitEther(root, { threshold: '0.01', seconds: 600 }));
      try {
        expect((await spend(6)).status).toBe(200);
        service.setAheadMs(400_000);
        expect((await spend(4)).status).toBe(200);
        expect((await spend(1)).status).toBe(403);
        service.setAheadMs(601_000);
        expect((await spend(7)).status).toBe(403);
        expect((await spend(6)).status).toBe(200);
        service.setAheadMs(0);
        expect((await spend(1)).status).toBe(403);
        expect((await spend(1, second.url)).status).toBe(403);
        service.setAheadMs(1_001_000);
        expect((await spend(5)).status).toBe(403);
        expect((await spend(4)).status).toBe(200);
      } finally {
        service.setAheadMs(0);
      }
    });

    test('every limit counts, even if no policy names it, separately per group', async () => {
      const { raw } = subject();
      const organization = await limited(spends, async (root) => {
        await limitEther(root, { threshold: '0.01', groupBy: { user: {} } });
        await limitSignatures(root, { threshold: '1', identifier: 'unasked' });
        await limitEther(root, { threshold: '1', identifier: 'wallet', groupBy: { wallet: {} } });
      });
      const { root, id, spend, address } = organization;
      expect((await spend(10)).status).toBe(200);
      expect((await spend(1)).status).toBe(403);
      // The root quorum asks no policy, and its own bucket counts.
      expect((await root.submit('signTransaction', transferParams(address, 30))).status).toBe(200);
      for (let count = 0; count < 3; count++) expect((await root.submit('signRawPayload', signParams(address))).status).toBe(200);
      const points = await pointsOf(raw, id);
      const newest = new Map(points.map(({ bucket, total }) => [bucket.split('/').slice(2).join('/'), total]));
      expect([...newest.values()].toSorted()).toEqual([10n ** 16n, 3n * 10n ** 16n, 3n * ONE, 4n * 10n ** 16n].toSorted());
    });

    test('limits of a parent count the activities that it authorized, each in its own organization', async () => {
      const { service, raw } = subject();
      const { own, backend, email, organizationId } = await createCustomer(service.root);
      const ownId = await limitSignatures(own, { threshold: '5', types: ['ACTIVITY_TYPE_EMAIL_AUTH'] });
      const parents = { threshold: '2', identifier: 'mails', types: ['ACTIVITY_TYPE_EMAIL_AUTH'] };
      const parentsId = await limitSignatures(service.root, parents);
      const denies = "activity.kind == 'EMAIL_AUTH' && !controls.mails";
      const policyId = await createPolicy(service.root, 'DENY', { condition: denies });
      const mail = (url = service.url) => backend.with({ url }).submit('emailAuth', { email, targetPublicKey: newTarget().hex });
      try {
        expect([await mail(), await mail(second.url)].map(({ status }) => status)).toEqual([200, 200]);
        expect(await pointsOf(raw, organizationId)).toMatchObject([{ bucket: `${ownId}/0/organization/` }, { revision: 2 }]);
        const counted = (await pointsOf(raw, service.root.organizationId)).filter(({ bucket }) => bucket.startsWith(parentsId));
        expect(counted.map(({ activityId }) => activityId.split('/')[0])).toEqual([organizationId, organizationId]);
        const later = await startService(subject().installation, { config });
        expect((await mail(later.url)).status).toBe(200);
        await later.close();
      } finally {
        await service.root.result('deletePolicy', { policyId });
        await service.root.result('deleteVelocityControl', { velocityControlId: parentsId });
      }
    });

    test('D178: an audit of the parent verifies, although some counts are in other organizations', async () => {
      const { service } = subject();
      const { root } = service;
      const { backend, email } = await createCustomer(root);
      const types = ['ACTIVITY_TYPE_EMAIL_AUTH', 'ACTIVITY_TYPE_CREATE_USER_TAG'];
      const velocityControlId = await limitSignatures(root, { threshold: '9', seconds: 3600, identifier: 'mixed', types });
      try {
        for (let count = 0; count < 2; count++) {
          await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
          expect((await backend.submit('emailAuth', { email, targetPublicKey: newTarget().hex })).status).toBe(200);
        }
        const verdict = await verifyText(await exportAudit(root), await logKey(service.url));
        expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true });
        if (verdict.ok) expect(verdict.report.sumsTaken).toBeGreaterThan(0);
      } finally {
        await root.result('deleteVelocityControl', { velocityControlId });
      }
    });

    test('a simulation reads the usage and counts nothing', async () => {
      const { raw } = subject();
      const { id, spend, member, address } = await limited(spends, (root) => limitEther(root, { threshold: '0.01' }));
      const simulated = async (thousandths: number) => {
        const fields = {
          type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
          parameters: transferParams(address, thousandths),
          approverIds: [member.userId],
        };
        return (await member.caller.data('simulateActivity', fields)).decision.outcome;
      };
      expect([await simulated(10), await simulated(11)]).toEqual(['ALLOW', 'DENY']);
      expect(await pointsOf(raw, id)).toEqual([]);
      expect((await spend(6)).status).toBe(200);
      expect([await simulated(4), await simulated(5)]).toEqual(['ALLOW', 'DENY']);
      expect(await pointsOf(raw, id)).toHaveLength(1);
    });

    test('used, remaining and expiring amounts are visible at every service immediately', async () => {
      let controlId = '';
      const { root, spend } = await limited(spends, async (caller) => {
        controlId = await limitEther(caller, { threshold: '0.01', seconds: 3600 });
      });
      const read = async (url: string) =>
        (await root.with({ url }).data('getVelocityControl', { velocityControlId: controlId })).velocityControl.usage;
      const urls = [subject().service.url, second.url] as const;
      /** What is counted in one millisecond frees up together, and the machine's clock may step back. */
      const setAhead = (seconds: number) => {
        for (const service of [subject().service, second]) service.setAheadMs(seconds * 1000);
      };
      try {
        expect(await read(urls[0])).toEqual([]);
        for (const [seconds, spent, at] of [
          [10, 2, 0],
          [20, 3, 1],
          [30, 1, 0],
        ] as const) {
          setAhead(seconds);
          expect((await spend(spent, urls[at])).status).toBe(200);
          expect(await read(urls[0])).toEqual(await read(urls[1]));
        }
        const [usage] = await read(urls[1]);
        expect(usage).toMatchObject({ used: '0.006', left: '0.004' });
        expect(usage.freesUp.map(({ amount }: Json) => amount)).toEqual(['0.002', '0.003', '0.001']);
      } finally {
        setAhead(0);
      }
    });

    describe('decisions', () => {
      test('store the sums as committed', async () => {
        const { raw } = subject();
        const { id, spend } = await limited(spends, (root) => limitEther(root, { threshold: '0.1' }));
        await Promise.all(many(20, (index) => spend(1, index % 2 === 0 ? undefined : second.url)));
        const stored = await raw.all('SELECT id, body, packed FROM activities WHERE organization_id = ?', id);
        const rows = stored.map((row) => ({ id: row.id, body: bodyOf(row) })).filter(({ body }) => body.includes('"counted":'));
        const points = new Map((await pointsOf(raw, id)).map((point) => [point.activityId, point]));
        expect(rows).toHaveLength(20);
        for (const { id: activityId, body } of rows) {
          const [usage] = JSON.parse(body).decisions.at(-1).usage;
          const point = points.get(String(activityId));
          expect(usage).toMatchObject({ threshold: '0.1', revision: (point?.revision ?? 0) - 1, atMs: point?.atMs });
          expect(usage.counted).toMatchObject({ amount: '0.001', revision: point?.revision });
          expect(Number(usage.used)).toBeCloseTo(((point?.revision ?? 0) - 1) / 1000, 9);
        }
      });
    });
  },
  { config },
);
