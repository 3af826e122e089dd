import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed } from '../../support/tamper/tamper-case.ts';
import { errorOf, privateKeyParams } from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';

const refused = { status: 500, code: 'STATE_TAMPERED' };

describeEngines('replay of a body whose activity was deleted', (subject) => {
  let second: TestService;

  beforeAll(async () => {
    second = await startService(subject().installation);
    return () => second.close();
  });

  /** An activity that the first service carried out, a way to send its body again, and one to delete its row. */
  async function carriedOut() {
    const { service, raw } = subject();
    const { id, root } = await createOrganization(service.root);
    const body = root.submitBody('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const again = (url: string) => root.with({ url }).send(root.submitPath('createPrivateKeys'), body);
    const activityId = (await again(service.url)).body.activity.id;
    await root.data('getLogProof', { activityId });
    return {
      again,
      activityId,
      async deleteRow() {
        await raw.dropGuards();
        await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, activityId));
      },
    };
  }

  test('D100: refused by a process that started afterwards', async () => {
    const { again, activityId, deleteRow } = await carriedOut();
    const restarted = await startService(subject().installation);
    expect((await again(restarted.url)).body.activity.id).toBe(activityId);
    await restarted.close();
    await deleteRow();
    forgetCommits(subject().installation);
    const later = await startService(subject().installation);
    expect(errorOf(await again(later.url))).toMatchObject(refused);
    expect(later.alarms()).toHaveLength(1);
    await later.close();
  });

  test('D100: refused by a concurrent process once it has followed the log', async () => {
    const { again, deleteRow } = await carriedOut();
    await deleteRow();
    // The other process looks at the log every second. A proof of its own shows that it has looked.
    await sleep(1_500);
    await subject().service.root.with({ url: second.url }).data('listLogEntries');
    expect(errorOf(await again(second.url))).toMatchObject(refused);
  });

  test('D100: refused if its entry was still queued', async () => {
    const { service, raw } = subject();
    const { root, id } = await createOrganization(service.root);
    const body = root.submitBody('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const send = (url: string) => root.with({ url }).send(root.submitPath('createPrivateKeys'), body);
    const activityId = (await send(service.url)).body.activity.id;
    await raw.dropGuards();
    await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, activityId));
    forgetCommits(subject().installation);
    const later = await startService(subject().installation);
    expect(errorOf(await send(later.url))).toMatchObject(refused);
    await later.close();
  });
});
