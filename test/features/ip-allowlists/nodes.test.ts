import { beforeAll, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert, one, wholeState } from '../../support/tamper/tamper-case.ts';
import { createPrivateKey, createSubOrganization, errorOf, signParams, uniqueName } from '../../support/world.ts';
import { ELSEWHERE, from, notAllowed, OFFICE, only, ownOrganization } from './support.ts';

/** Repetitions of each race, so that an occasionally stale view is noticed. */
const ROUNDS = 3;

describeEngines('lists on several nodes', (subject) => {
  let second: TestService;

  beforeAll(async () => {
    second = await startService(subject().installation);
    return () => second.close();
  });

  /** An organization that both nodes have cached. */
  async function knownToBoth() {
    const { root } = await ownOrganization(subject().service);
    const privateKeyId = await createPrivateKey(root);
    const sign = (caller: Caller) => caller.submit('signRawPayload', signParams(privateKeyId));
    const there = root.with({ url: second.url });
    expect((await sign(from(ELSEWHERE, there))).status).toBe(200);
    return { office: from(OFFICE, root), outside: from(ELSEWHERE, there), there, root, sign };
  }

  test('a list set at one node applies at the other from the next request, and so does its removal', async () => {
    const { office, outside, sign } = await knownToBoth();
    for (let round = 0; round < ROUNDS; round++) {
      await office.result('setIpAllowlist', only(OFFICE));
      const answers = round % 2 === 0 ? [await sign(outside), await outside.query('whoami')] : await Promise.all([sign(outside)]);
      for (const answer of answers) expect(errorOf(answer)).toEqual(notAllowed);
      await office.result('removeIpAllowlist', {});
      expect((await sign(outside)).status).toBe(200);
    }
  });

  test('the same holds for a parent’s list when its users act in a sub-organization', async () => {
    const { office, there } = await knownToBoth();
    const { caller: child, organizationId, userId } = await createSubOrganization(office);
    await child.result('updateUser', { userId, userEmail: 'customer@example.com' });
    const parent = from(ELSEWHERE, there.with({ organizationId }));
    const signIn = () => parent.submit('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: 'customer@example.com' });
    for (let round = 0; round < ROUNDS; round++) {
      expect([(await signIn()).status, (await parent.query('getOrganizationConfigs')).status]).toEqual([200, 200]);
      await office.result('setIpAllowlist', only(OFFICE));
      expect(errorOf(await signIn())).toEqual(notAllowed);
      expect(errorOf(await parent.query('getOrganizationConfigs'))).toEqual(notAllowed);
      await office.result('removeIpAllowlist', {});
    }
  });

  test('a repeated request shows nothing at a node that has not seen the list yet', async () => {
    const { office, outside, root } = await knownToBoth();
    for (let round = 0; round < ROUNDS; round++) {
      const path = root.submitPath('createUserTag');
      const body = root.submitBody('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
      expect((await outside.send(path, body)).status).toBe(200);
      await office.result('setIpAllowlist', only(OFFICE));
      const twice = await Promise.all([outside.send(path, body), outside.send(path, body)]);
      for (const answer of twice) expect(errorOf(answer)).toEqual(notAllowed);
      await office.result('removeIpAllowlist', {});
    }
  });

  const listRow = "organization_id = ? AND kind = 'ipAllowlist'";

  test.each<[string, RegExp, (organizationId: string, office: Caller) => Promise<void>]>([
    [
      'widened',
      /the ipAllowlist record \S+ was changed or inserted/,
      (organizationId) => {
        const body = `replace(body, '${OFFICE}/32', '127.0.0.0/8')`;
        return changed(subject().raw.run(`UPDATE records SET body = ${body} WHERE ${listRow}`, organizationId));
      },
    ],
    [
      'switched off',
      /the ipAllowlist record \S+ was changed or inserted/,
      (organizationId) => {
        const body = `replace(body, '"enabled":true', '"enabled":false')`;
        return changed(subject().raw.run(`UPDATE records SET body = ${body} WHERE ${listRow}`, organizationId));
      },
    ],
    [
      'deleted',
      wholeState,
      (organizationId) => changed(subject().raw.run(`DELETE FROM records WHERE ${listRow}`, organizationId)),
    ],
    [
      'rolled back to an older state',
      wholeState,
      async (organizationId, office) => {
        const { raw } = subject();
        await office.result('setIpAllowlist', only(OFFICE, ELSEWHERE));
        const older = await one(raw, `SELECT * FROM records WHERE ${listRow}`, organizationId);
        await office.result('setIpAllowlist', only(OFFICE));
        await changed(raw.run(`DELETE FROM records WHERE ${listRow}`, organizationId));
        await insert(raw, 'records', older);
      },
    ],
  ])('D62: a list that is %s in the database allows nobody', async (_, named, edit) => {
    const { root } = await ownOrganization(subject().service);
    const privateKeyId = await createPrivateKey(root);
    const office = from(OFFICE, root);
    await office.result('setIpAllowlist', only(OFFICE));
    await edit(root.organizationId, office);
    const sign = (url: string) => from(ELSEWHERE, root.with({ url })).submit('signRawPayload', signParams(privateKeyId));
    // A service that verified the list before keeps using it. A service that reads it now refuses everybody.
    expect(errorOf(await sign(subject().service.url))).toEqual(notAllowed);
    const started = await startService(subject().installation);
    const answer = await sign(started.url).finally(() => started.close());
    expect(errorOf(answer)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(answer.body.message).toMatch(named);
    const findings = await runDoctor(subject().service.config);
    const found = findings.filter(({ ok, check }) => !ok && check.includes(root.organizationId));
    expect(found.map(({ detail }) => detail).join('\n')).toMatch(named);
  });
});
