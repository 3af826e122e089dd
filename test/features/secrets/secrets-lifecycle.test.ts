import { expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { rotateDataKeys } from '../../../packages/server/src/commands/rotate.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { createPolicy } from '../policies/support.ts';
import { contentsOf, exportParams, importSecrets } from './secret-support.ts';

describeEngines('records of secrets', (subject) => {
  const organization = async () => createSubOrganization(subject().service.root);
  const rows = (organizationId: string) =>
    subject().raw.all('SELECT id, ciphertext FROM secrets WHERE organization_id = ?', organizationId);

  test('D868: an audit file verifies imports, exports that a policy decided by properties, and deletions', async () => {
    const { caller } = await organization();
    const staticProperties = [{ key: 'environment', value: 'staging' }];
    const ids = await importSecrets(caller, ['one', 'two'], { staticProperties });
    const { caller: member, userId } = await createMember(caller);
    await createPolicy(caller, 'ALLOW', {
      condition: "activity.kind == 'EXPORT_SECRETS' && secrets.all(s, s.static_properties.any(p, p.value == 'staging'))",
      consensus: `approvers.any(u, u.id == '${userId}')`,
    });
    expect(await contentsOf(member, ids)).toEqual(['one', 'two']);
    await caller.result('deleteSecrets', { secretIds: ids.slice(1) });
    const text = await exportAudit(caller);
    const key = await logKey(caller.url);
    expect(await verifyText(text, key)).toMatchObject({ ok: true });
    expect(text).toContain('"secretIds"');
    expect(await verifyText(text.replaceAll('staging', 'stagimg'), key)).toMatchObject({ ok: false });
  });

  test('a rotation of data keys encrypts secrets again, and doctor opens each of them', async () => {
    const { caller } = await organization();
    const [id] = (await importSecrets(caller, ['kept'])) as [string];
    const before = await rows(caller.organizationId);
    await rotateDataKeys(subject().installation.config, () => {});
    expect(await rows(caller.organizationId)).not.toEqual(before);
    expect(await contentsOf(caller, [id])).toEqual(['kept']);
    const state = async () =>
      (await runDoctor(subject().installation.config)).filter(({ check }) => check.startsWith('state of'));
    expect(await state()).toEqual([]);
    const [row] = (await rows(caller.organizationId)) as [{ readonly ciphertext: Uint8Array }];
    await subject().raw.run('UPDATE secrets SET ciphertext = ? WHERE id = ?', Buffer.alloc(40, 1), id);
    expect(await state()).toMatchObject([{ check: `state of ${caller.organizationId}`, ok: false }]);
    await subject().raw.run('UPDATE secrets SET ciphertext = ? WHERE id = ?', row.ciphertext, id);
  });

  test('the deletion of an organization needs exported secrets or a release, and leaves none', async () => {
    const { caller } = await organization();
    const [id] = (await importSecrets(caller, ['kept'])) as [string];
    expect(errorOf(await caller.submit('deleteSubOrganization', { deleteWithoutExport: false }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await caller.submit('exportSecrets', exportParams([id]));
    await caller.result('deleteSubOrganization', { deleteWithoutExport: false });
    expect(await rows(caller.organizationId)).toEqual([]);
  });
});
