import { expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { createPolicy } from '../policies/support.ts';
import { newTarget, openExport } from '../sign-in/transfer-support.ts';
import { contentsOf, exportParams, importSecrets, listed, prepareSecret, SUITE, sealTo } from './secret-support.ts';

const allow = (root: Caller, userId: string, condition: string) =>
  createPolicy(root, 'ALLOW', { condition, consensus: `approvers.any(u, u.id == '${userId}')` });

const CONTENT = 'postgres://app:correct-horse@db/prod';

describeEngines('secrets', (subject) => {
  const organization = async () => createSubOrganization(subject().service.root);
  const stored = (table: string, organizationId: string) =>
    subject().raw.all(`SELECT * FROM ${table} WHERE organization_id = ?`, organizationId);

  test('are imported, listed newest first, exported to the caller and deleted', async () => {
    const { caller } = await organization();
    const { enclaveTargetMessages } = await caller.result('initImportSecrets', { encryptionSuite: SUITE, numSecrets: 2 });
    const bytes = new Uint8Array(16_384).fill(7);
    const staticProperties = [{ key: 'environment', value: 'staging' }];
    const secrets = [
      await sealTo(caller, enclaveTargetMessages[0], CONTENT, { name: 'Database', staticProperties }),
      await sealTo(caller, enclaveTargetMessages[1], bytes),
    ];
    const { secretIds } = await caller.result('importSecrets', { secrets });
    expect(await listed(caller)).toEqual([
      { secretId: secretIds[1], staticProperties: [], createdAtUnixMs: expect.stringMatching(/^\d{13}$/) },
      { secretId: secretIds[0], name: 'Database', staticProperties, createdAtUnixMs: expect.any(String) },
    ]);
    expect(await contentsOf(caller, secretIds)).toEqual([CONTENT, Buffer.from(bytes).toString()]);
    expect(await caller.result('deleteSecrets', { secretIds })).toEqual({ secretIds });
    expect(await listed(caller)).toEqual([]);
    expect(await stored('secrets', caller.organizationId)).toEqual([]);
  });

  test('D861: a user who may export keys only exports no secret, and one for a property no other secret', async () => {
    const { caller: root } = await organization();
    const [staging, production] = (await Promise.all(
      ['staging', 'production'].map(async (value) => {
        const staticProperties = [{ key: 'environment', value }];
        return (await importSecrets(root, [CONTENT], { staticProperties }))[0] as string;
      }),
    )) as [string, string];
    const { caller: ofKeys, userId: keysId } = await createMember(root);
    const { caller: ofStaging, userId: stagingId } = await createMember(root);
    await allow(root, keysId, "activity.resource in ['WALLET', 'PRIVATE_KEY'] && activity.action == 'EXPORT'");
    await allow(
      root,
      stagingId,
      "activity.kind == 'EXPORT_SECRETS' && secrets.all(s, s.static_properties.any(p, p.key == 'environment' && p.value == 'staging'))",
    );
    const attempt = async (caller: Caller, ids: readonly string[]) =>
      (await caller.submit('exportSecrets', exportParams(ids))).status;
    expect(await attempt(ofKeys, [staging])).toBe(403);
    expect(await attempt(ofStaging, [production])).toBe(403);
    expect(await attempt(ofStaging, [staging, production])).toBe(403);
    expect(await contentsOf(ofStaging, [staging])).toEqual([CONTENT]);
    expect((await ofStaging.submit('deleteSecrets', { secretIds: [staging] })).status).toBe(403);
  });

  test('D862: a payload is imported once, only by the user whose target it names, and all of a request or none', async () => {
    const { caller } = await organization();
    const { caller: other, userId } = await createMember(caller);
    await allow(caller, userId, "activity.resource == 'SECRET'");
    const secret = await prepareSecret(caller, CONTENT);
    expect(errorOf(await other.submit('importSecrets', { secrets: [secret] }))).toMatchObject({ code: 'BUNDLE_INVALID' });
    const spoiled = await prepareSecret(caller, 'x');
    const secrets = [secret, { ...spoiled, secretPayload: secret.secretPayload }];
    expect(errorOf(await caller.submit('importSecrets', { secrets }))).toMatchObject({ code: 'BUNDLE_INVALID' });
    expect(await listed(caller)).toEqual([]);
    await caller.result('importSecrets', { secrets: [secret] });
    expect(errorOf(await caller.submit('importSecrets', { secrets: [secret] }))).toMatchObject({ code: 'BUNDLE_INVALID' });
    expect(await listed(caller)).toHaveLength(1);
  });

  test('D862: an exported payload opens with the key of the request alone', async () => {
    const { caller } = await organization();
    const [id] = await importSecrets(caller, [CONTENT]);
    const target = newTarget();
    const { secretPayloads } = await caller.result('exportSecrets', exportParams([id as string], target.hex));
    expect((await openExport(caller, secretPayloads[0], target)).toString()).toBe(CONTENT);
    await expect((async () => openExport(caller, secretPayloads[0], newTarget()))()).rejects.toThrow();
  });

  test('D863: a row of another secret, another organization or another kind does not open', async () => {
    const { caller: one } = await organization();
    const { caller: two } = await organization();
    const [a, b] = (await importSecrets(one, ['first', 'second'])) as [string, string];
    const [c] = (await importSecrets(two, ['third'])) as [string];
    const { walletId } = await one.result('createWallet', { walletName: 'W', accounts: [] });
    const rows = new Map(
      [...(await stored('secrets', one.organizationId)), ...(await stored('secrets', two.organizationId))].map((row) => [
        row.id as string,
        row.ciphertext as Uint8Array,
      ]),
    );
    const put = (id: string, from: string) =>
      subject().raw.run('UPDATE secrets SET ciphertext = ? WHERE id = ?', rows.get(from) as Uint8Array, id);
    for (const from of [b, c, walletId]) {
      await put(a, from);
      const answer = await one.submit('exportSecrets', exportParams([a]));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(answer.body)).not.toContain('secretPayloads":["');
    }
    await put(a, a);
    expect(await contentsOf(one, [a, b])).toEqual(['first', 'second']);
  });

  test('D864: neither the secret nor an unsalted hash of it is stored or shown', async () => {
    const { caller } = await organization();
    const [id] = await importSecrets(caller, [CONTENT], { name: 'Quiet' });
    await caller.result('exportSecrets', exportParams([id as string]));
    const { createHash } = await import('node:crypto');
    const forms = [
      CONTENT,
      Buffer.from(CONTENT).toString('hex'),
      Buffer.from(CONTENT).toString('base64').slice(0, 40),
      ...['sha256', 'sha512', 'sha1'].flatMap((name) => {
        const digest = createHash(name).update(CONTENT).digest();
        return [digest.toString('hex'), digest.toString('base64').slice(0, 26)];
      }),
    ];
    const shown = JSON.stringify([await caller.data('listActivities', {}), await listed(caller)]);
    const kept = (await Promise.all(['activities', 'records', 'secrets'].map((table) => stored(table, caller.organizationId))))
      .flat()
      .flatMap((row) =>
        Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))),
      )
      .join('\n');
    for (const form of forms) expect(shown.includes(form) || kept.includes(form)).toBe(false);
    expect(kept).not.toContain('Quiet');
  });

  test('D865: too many, too long, empty and doubly named secrets are rejected and change nothing', async () => {
    const { caller } = await organization();
    const secret = await prepareSecret(caller, CONTENT, { name: 'Same' });
    const again = await prepareSecret(caller, CONTENT, { name: 'Same' });
    const attempt = async (secrets: readonly object[]) => errorOf(await caller.submit('importSecrets', { secrets }));
    const before = await stored('secrets', caller.organizationId);
    expect(await attempt([secret, again])).toMatchObject({ status: 400 });
    expect(await attempt([secret, { ...again, name: 'Other', targetPublicKey: secret.targetPublicKey }])).toMatchObject({
      status: 400,
    });
    expect(
      await attempt([{ ...secret, staticProperties: [1, 2].map((value) => ({ key: 'k', value: `${value}` })) }]),
    ).toMatchObject({
      status: 400,
    });
    expect(await attempt([await prepareSecret(caller, new Uint8Array(20_000))])).toMatchObject({ status: 400 });
    expect(await attempt(Array.from({ length: 33 }, () => secret))).toMatchObject({ status: 400 });
    expect((await stored('secrets', caller.organizationId)).length).toBe(before.length + 1);
    expect(await attempt([await prepareSecret(caller, '')])).toMatchObject({ code: 'BUNDLE_INVALID' });
    expect(await listed(caller)).toEqual([]);
  });

  test('D865: an organization has a limited number of secrets', async () => {
    const { caller } = await organization();
    const most = 100;
    for (let made = 0; made < most; made += 25) await importSecrets(caller, Array(25).fill('x'));
    const more = [await prepareSecret(caller, 'x')];
    expect(errorOf(await caller.submit('importSecrets', { secrets: more }))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const [{ secretId }] = (await listed(caller)) as [{ readonly secretId: string }];
    await caller.result('deleteSecrets', { secretIds: [secretId] });
    await caller.result('importSecrets', { secrets: more });
    expect(await listed(caller)).toHaveLength(most);
  });

  test('D866: a user of another organization sees, exports and deletes nothing', async () => {
    const { caller: one } = await organization();
    const { caller: two } = await organization();
    const [id] = (await importSecrets(one, [CONTENT])) as [string];
    expect(errorOf(await two.submit('exportSecrets', exportParams([id])))).toMatchObject({ code: 'NOT_FOUND' });
    expect(errorOf(await two.submit('deleteSecrets', { secretIds: [id] }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await listed(two)).toEqual([]);
    expect(await contentsOf(one, [id])).toEqual([CONTENT]);
  });

  test('D867: an export waits for approvals, and a frozen organization exports nothing', async () => {
    const { caller } = await organization();
    const [id] = (await importSecrets(caller, [CONTENT])) as [string];
    const { caller: member, userId } = await createMember(caller);
    const { caller: second, userId: secondId } = await createMember(caller);
    await createPolicy(caller, 'ALLOW', {
      condition: "activity.kind == 'EXPORT_SECRETS'",
      consensus: `approvers.filter(u, u.id in ['${userId}', '${secondId}']).count() >= 2`,
    });
    const asked = await member.submit('exportSecrets', exportParams([id]));
    expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const { fingerprint } = (await second.data('getActivity', { activityId: asked.body.activity.id })).activity;
    await caller.result('freeze', { wholeOrganization: true, reason: 'test' });
    expect((await second.submit('approveActivity', { fingerprint })).status).toBeGreaterThanOrEqual(400);
    expect((await member.submit('exportSecrets', exportParams([id]))).status).toBe(403);
  });
});
