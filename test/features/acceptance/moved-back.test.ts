import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import type { RawDatabase, StoredRow } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert } from '../../support/tamper/tamper-case.ts';
import { createPrivateKey, errorOf, privateKeyParams, signParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt } from '../policies/support.ts';

const tables = ['organizations', 'records', 'resources'] as const;

/** Everything that decisions of an organization rest on, as an intruder would copy it. */
async function copyOf(raw: RawDatabase, organizationId: string): Promise<ReadonlyMap<string, readonly StoredRow[]>> {
  const copies = tables.map(async (table) => {
    return [table, await raw.all(`SELECT * FROM ${table} WHERE organization_id = ?`, organizationId)] as const;
  });
  return new Map(await Promise.all(copies));
}

async function putBack(raw: RawDatabase, organizationId: string, copy: ReadonlyMap<string, readonly StoredRow[]>): Promise<void> {
  for (const [table, rows] of copy) {
    await changed(raw.run(`DELETE FROM ${table} WHERE organization_id = ?`, organizationId));
    for (const row of rows) await insert(raw, table, row);
  }
}

describeEngines('a database that is rolled back', (subject) => {
  let second: TestService;

  beforeAll(async () => {
    second = await startService(subject().installation);
    return () => second.close();
  });

  /** A member who may sign, known to both services, and whom the first service has deleted since. */
  async function deletedMember() {
    const { service, raw } = subject();
    const organization = await createOrganization(service.root, { members: 1 });
    const { id, root } = organization;
    const member = memberAt(organization, 0);
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
    const key = await createPrivateKey(root);
    const sign = (url: string) => member.caller.with({ url }).submit('signRawPayload', signParams(key));
    for (const { url } of [service, second]) expect((await sign(url)).status).toBe(200);
    const before = await copyOf(raw, id);
    await root.result('deleteUsers', { userIds: [member.userId] });
    return { id, root, before, sign };
  }

  const expectTampered = (answer: Answer, { alarms }: TestService, organizationId: string) => {
    expect(errorOf(answer)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(alarms().some((heard) => heard.organizationId === organizationId)).toBe(true);
  };

  test('D91: rolling back only the version does not let a deleted user sign', async () => {
    const { id, sign } = await deletedMember();
    await changed(subject().raw.run('UPDATE organizations SET version = version - 1 WHERE organization_id = ?', id));
    expectTampered(await sign(second.url), second, id);
    expectTampered(await sign(subject().service.url), subject().service, id);
  });

  test('D92: processes that saw a newer version refuse a rolled-back organization', async () => {
    const { id, root, before, sign } = await deletedMember();
    const { service, raw } = subject();
    await putBack(raw, id, before);
    expectTampered(await sign(service.url), service, id);
    expectTampered(await root.query('whoami'), service, id);
    const neighbour = await createOrganization(service.root);
    expect((await neighbour.root.query('whoami')).status).toBe(200);
  });

  test('D92: a different history at the same version is refused as well', async () => {
    const { id, root, before } = await deletedMember();
    const { service, raw } = subject();
    await putBack(raw, id, before);
    // The other process has not seen the deletion, and goes on from where the database was put back to.
    const elsewhere = root.with({ url: second.url });
    const answer = await elsewhere.submit('createPrivateKeyTag', { privateKeyTagName: 'Other history', privateKeyIds: [] });
    // It goes on only until it has read the leaf of the deletion.
    if (answer.status !== 200) expectTampered(answer, second, id);
    expectTampered(await root.query('whoami'), service, id);
  });

  test('D91: an unchanged organization works at both processes', async () => {
    const { sign, root } = await deletedMember();
    expect(errorOf(await sign(second.url))).toMatchObject({ status: 401 });
    for (const { url } of [subject().service, second]) expect((await root.with({ url }).query('whoami')).status).toBe(200);
  });

  test('D93: a rejected activity cannot be restored and approved', async () => {
    const { service, raw } = subject();
    const { id, root, roots } = await createOrganization(service.root, { roots: 2, threshold: 2 });
    const other = memberAt({ members: roots }, 1).caller;
    const submitted = await root
      .with({ dialect: 'turnkey' })
      .submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const { fingerprint, id: activityId, status } = submitted.body.activity;
    expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const row = () => raw.all('SELECT * FROM activities WHERE organization_id = ? AND id = ?', id, activityId);
    const [waiting] = await row();
    expect((await other.submit('rejectActivity', { fingerprint })).body.activity.status).toBe('ACTIVITY_STATUS_REJECTED');
    await raw.dropGuards();
    await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, activityId));
    await insert(raw, 'activities', waiting as StoredRow);
    for (const at of [service, second])
      expectTampered(await other.with({ url: at.url }).submit('approveActivity', { fingerprint }), at, id);
    forgetCommits(subject().installation);
    const restarted = await startService(subject().installation);
    expectTampered(await other.with({ url: restarted.url }).submit('approveActivity', { fingerprint }), restarted, id);
    await restarted.close();
    expect(await row()).toMatchObject([{ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }]);
  });

  test('D93: a state between two votes cannot be restored either', async () => {
    const { service, raw } = subject();
    const { id, root, roots } = await createOrganization(service.root, { roots: 3, threshold: 3 });
    const [, one, two] = roots.map(({ caller }) => caller);
    const submitted = await root
      .with({ dialect: 'turnkey' })
      .submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const { fingerprint, id: activityId } = submitted.body.activity;
    const [before] = await raw.all('SELECT * FROM activities WHERE organization_id = ? AND id = ?', id, activityId);
    expect((await one?.submit('approveActivity', { fingerprint }))?.status).toBe(200);
    await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, activityId));
    await insert(raw, 'activities', before as StoredRow);
    expectTampered((await two?.submit('approveActivity', { fingerprint })) as Answer, service, id);
  });

  test('D94: the process that executed an activity does not execute it again after its row is deleted', async () => {
    const { service, raw } = subject();
    const { id, root } = await createOrganization(service.root);
    const privateKeys = [privateKeyParams('CURVE_SECP256K1')];
    const body = root.submitBody('createPrivateKeys', { privateKeys });
    const again = () => root.send(root.submitPath('createPrivateKeys'), body);
    const activityId = (await again()).body.activity.id;
    expect((await again()).body.activity.id).toBe(activityId);
    await raw.dropGuards();
    await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, activityId));
    expectTampered(await again(), service, id);
  });

  test('pending activities are limited per user, and ended ones free their slot', async () => {
    const few = await startService(subject().installation, { config: { maxOpenActivities: 2 } });
    const { root, roots } = await createOrganization(subject().service.root, { roots: 2, threshold: 2 });
    const here = root.with({ url: few.url, dialect: 'turnkey' });
    const wait = () => here.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const { fingerprint } = (await wait()).body.activity;
    expect((await wait()).status).toBe(200);
    expect(errorOf(await wait())).toMatchObject({ status: 429 });
    const other = memberAt({ members: roots }, 1).caller.with({ url: few.url });
    expect((await other.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] })).status).toBe(200);
    expect((await other.submit('approveActivity', { fingerprint })).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect((await wait()).status).toBe(200);
    await few.close();
  });
});
