import { expect, test } from 'vitest';
import { sealImportBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import { type Json, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, errorOf, ethereumAccount, madeUpId, uniqueName } from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';
import {
  type Importer,
  type ImportKind,
  prepareImport,
  publishedKeys,
  STANDARD_ADDRESS,
  sampleOf,
  samples,
  submitImport,
} from './transfer-support.ts';

describeEngines('import targets', (subject) => {
  const root = () => subject().service.root;
  const importer = (): Promise<Importer> => createSubOrganization(root());

  const kinds: ImportKind[] = ['wallet', 'privateKey'];

  test.each(kinds)('%s: work for one import', async (kind) => {
    const own = await importer();
    const bundle = await prepareImport(own, kind, samples[kind]);
    expect((await submitImport(own, kind, bundle)).status).toBe(200);
    const before = await countRows(subject().raw);
    expect(errorOf(await submitImport(own, kind, bundle))).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
    const { activities, ...rest } = await countRows(subject().raw);
    expect({ activities: activities - 1, ...rest }).toEqual(before);
  });

  test.each(kinds)('%s: of two concurrent imports to one target, one succeeds', async (kind) => {
    const own = await importer();
    const bundle = await prepareImport(own, kind, samples[kind]);
    const answers = await Promise.all([submitImport(own, kind, bundle), submitImport(own, kind, bundle)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const listed = kind === 'wallet' ? await own.caller.data('listWallets') : await own.caller.data('listPrivateKeys');
    expect(Object.values(listed)[0]).toHaveLength(1);
  });

  test.each(kinds)('%s: repeating the request is the same import', async (kind) => {
    const own = await importer();
    const bundle = await prepareImport(own, kind, samples[kind]);
    const name = kind === 'wallet' ? 'importWallet' : 'importPrivateKey';
    const params =
      kind === 'wallet'
        ? { walletName: uniqueName('Once'), accounts: [] }
        : { privateKeyName: uniqueName('Once'), curve: 'CURVE_P256', addressFormats: [] };
    const body = own.caller.submitBody(name, { userId: own.userId, ...params, encryptedBundle: bundle });
    const path = own.caller.submitPath(name);
    const [one, two] = [await own.caller.send(path, body), await own.caller.send(path, body)];
    expect(resultOf(two)).toEqual(resultOf(one));
  });

  test.each(kinds)('%s: several exist side by side, each for its own import', async (kind) => {
    const own = await importer();
    const bundles = [];
    for (let i = 0; i < 3; i++) bundles.push(await prepareImport(own, kind, sampleOf(kind, i)));
    for (const bundle of bundles) expect((await submitImport(own, kind, bundle)).status).toBe(200);
  });

  test.each(kinds)('%s: the eleventh replaces the oldest and its private half', async (kind) => {
    const own = await importer();
    const bundles = [];
    for (let i = 0; i < 11; i++) bundles.push(await prepareImport(own, kind, sampleOf(kind, i)));
    const held = await subject().raw.all('SELECT id FROM secrets WHERE organization_id = ?', own.caller.organizationId);
    expect(held).toHaveLength(10);
    expect(errorOf(await submitImport(own, kind, bundles[0] as string))).toMatchObject({ code: 'BUNDLE_INVALID' });
    expect((await submitImport(own, kind, bundles[1] as string)).status).toBe(200);
    expect((await submitImport(own, kind, bundles[10] as string)).status).toBe(200);
  });

  test.each(kinds)('%s: expire after a day', async (kind) => {
    const own = await importer();
    const bundle = await prepareImport(own, kind, samples[kind]);
    const day = 24 * 60 * 60 * 1000;
    const { service } = subject();
    service.setAheadMs(day);
    const name = kind === 'wallet' ? 'importWallet' : 'importPrivateKey';
    const params =
      kind === 'wallet'
        ? { walletName: uniqueName('Late'), accounts: [] }
        : { privateKeyName: uniqueName('Late'), curve: 'CURVE_P256', addressFormats: [] };
    const timestampMs = String(Date.now() + day);
    const answer = await own.caller.submit(name, { userId: own.userId, ...params, encryptedBundle: bundle }, { timestampMs });
    service.setAheadMs(0);
    expect(errorOf(answer)).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
  });

  test.each(kinds)('%s: belong to one user; others can neither use them nor request them for somebody else', async (kind) => {
    const { root: owner, members, roots } = await createOrganization(root(), { roots: 2, threshold: 1, members: 1 });
    const [one, two] = roots as [Importer, Importer];
    const bundle = await prepareImport(one, kind, samples[kind]);
    expect(errorOf(await submitImport(two, kind, bundle))).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
    const forOther = await submitImport({ caller: two.caller, userId: one.userId }, kind, bundle);
    expect(errorOf(forOther)).toEqual({ status: 403, code: 'POLICY_DENIED', fields: ['userId'] });
    const init = kind === 'wallet' ? 'initImportWallet' : 'initImportPrivateKey';
    for (const userId of [one.userId, madeUpId()])
      expect(errorOf(await two.caller.submit(init, { userId }))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    expect((await submitImport(one, kind, bundle)).status).toBe(200);
    const { caller, userId } = members[0] as Importer;
    expect(errorOf(await caller.submit(init, { userId }))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    expect(owner.organizationId).toBe(one.caller.organizationId);
  });

  test.each(kinds)('%s: belong to one organization', async (kind) => {
    const own = await importer();
    const other = await importer();
    const bundle = await prepareImport(own, kind, samples[kind]);
    await prepareImport(other, kind, samples[kind]);
    expect(errorOf(await submitImport(other, kind, bundle))).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
  });

  test('are for one kind of import', async () => {
    const own = await importer();
    for (const [from, to] of [
      ['wallet', 'privateKey'],
      ['privateKey', 'wallet'],
    ] as const) {
      const bundle = await prepareImport(own, from, samples[to]);
      expect(errorOf(await submitImport(own, to, bundle))).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
    }
  });

  test('are deleted with their user', async () => {
    const own = await importer();
    const { root: owner } = { root: own.caller };
    const { caller, userId } = await createMember(owner);
    const condition = "activity.action == 'IMPORT'";
    const consensus = `approvers.any(user, user.id == '${userId}')`;
    await owner.result('createPolicy', { policyName: 'Imports', effect: 'EFFECT_ALLOW', condition, consensus, notes: '' });
    await prepareImport({ caller, userId }, 'wallet', samples.wallet);
    const count = async () =>
      (await subject().raw.all('SELECT id FROM secrets WHERE organization_id = ?', owner.organizationId)).length;
    expect(await count()).toBe(1);
    await owner.result('deleteUsers', { userIds: [userId] });
    expect(await count()).toBe(0);
  });

  test('an import that waits for approval uses its target when it runs', async () => {
    const { root: owner, roots } = await createOrganization(root(), { roots: 2, threshold: 2 });
    const [one, two] = roots as [Importer, Importer];
    const approve = async (answer: { body: Json }, by: Importer) => {
      const { fingerprint } = (await by.caller.data('getActivity', { activityId: answer.body.activity.id })).activity;
      return by.caller.submit('approveActivity', { fingerprint });
    };
    const asked = await one.caller.submit('initImportWallet', { userId: one.userId });
    expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const { importBundle } = resultOf(await approve(asked, two));
    const { signer } = await publishedKeys(owner.url);
    const ids = { organizationId: owner.organizationId, userId: one.userId };
    const bundle = sealImportBundle(importBundle, signer as string, ids, samples.wallet);
    const waiting = await submitImport(one, 'wallet', bundle, { accounts: [ethereumAccount(0)] });
    expect(waiting.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect(resultOf(await approve(waiting, two)).addresses).toEqual([STANDARD_ADDRESS]);
    const targets = await subject().raw.all(
      "SELECT id FROM records WHERE organization_id = ? AND kind = 'importTarget'",
      owner.organizationId,
    );
    expect(targets).toEqual([]);
  });
});
