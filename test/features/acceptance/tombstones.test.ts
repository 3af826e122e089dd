import { expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { insert } from '../../support/tamper/tamper-case.ts';
import { createMember, createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';

describeEngines('tombstones', (subject) => {
  const versionOf = async (organizationId: string) => {
    const [row] = await subject().raw.all('SELECT version FROM organizations WHERE organization_id = ?', organizationId);
    return Number(row?.version);
  };
  const tombstonesOf = (organizationId: string) =>
    subject().raw.all('SELECT kind, id, version FROM tombstones WHERE organization_id = ? ORDER BY version', organizationId);

  test('name what was deleted, and the version that deleted it; records name the version that wrote them', async () => {
    const { caller, organizationId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(caller);
    const written = await versionOf(organizationId);
    const stored = async () =>
      subject().raw.all('SELECT written_by FROM records WHERE organization_id = ? AND id = ?', organizationId, userId);
    expect((await stored()).map((row) => Number(row.written_by))).toEqual([written]);
    await caller.result('deleteUsers', { userIds: [userId] });
    const deleted = await versionOf(organizationId);
    expect(deleted).toBe(written + 1);
    const rows = (await tombstonesOf(organizationId)).map((row) => ({ ...row, version: Number(row.version) }));
    expect(rows).toContainEqual({ kind: 'user', id: userId, version: deleted });
    expect(rows.every(({ version }) => version === deleted)).toBe(true);
  });

  test('D271: are trusted for nothing: removed and inserted ones change no answer', async () => {
    const { caller, organizationId, userId } = await createSubOrganization(subject().service.root);
    const privateKeyId = await createPrivateKey(caller);
    const other = await createPrivateKey(caller);
    await caller.result('deletePrivateKeys', { privateKeyIds: [other], deleteWithoutExport: true });
    const [row] = await tombstonesOf(organizationId);
    expect(row).toMatchObject({ kind: 'privateKey', id: other });
    await subject().raw.run('DELETE FROM tombstones WHERE organization_id = ?', organizationId);
    const version = await versionOf(organizationId);
    for (const [kind, id] of [
      ['user', userId],
      ['privateKey', privateKeyId],
    ] as const)
      await insert(subject().raw, 'tombstones', { organization_id: organizationId, version, kind, id });
    const restarted = await startService(subject().installation);
    try {
      for (const url of [subject().service.url, restarted.url]) {
        expect((await caller.with({ url }).submit('signRawPayload', signParams(privateKeyId))).status).toBe(200);
        expect((await caller.with({ url }).submit('signRawPayload', signParams(other))).status).toBe(404);
      }
      expect((await runDoctor(restarted.config)).filter(({ ok, check }) => !ok && check.includes(organizationId))).toEqual([]);
    } finally {
      await restarted.close();
    }
  });
});
