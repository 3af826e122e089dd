import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed } from '../../support/tamper/tamper-case.ts';
import { errorOf, signParams } from '../../support/world.ts';
import { memberAt } from '../policies/support.ts';
import { createLimited, type Limited, limitEther, pointsOf } from './support.ts';

describeEngines('usage that was put back, seen by a process that never counted it', (subject) => {
  const createSpender = (): Promise<Limited> =>
    createLimited(subject().service.root, "activity.action == 'SIGN' && controls.ether", (root) =>
      limitEther(root, { threshold: '0.01', seconds: 3600 }),
    );

  /** A service in place of the present one, as on another machine. */
  async function onFreshService<T>(work: (fresh: TestService) => Promise<T>): Promise<T> {
    forgetCommits(subject().installation);
    const fresh = await startService(subject().installation);
    try {
      return await work(fresh);
    } finally {
      await fresh.close();
    }
  }

  async function logged(victim: Limited): Promise<void> {
    await victim.root.data('listLogEntries');
    expect(await subject().raw.all('SELECT seq FROM log_queue WHERE organization_id = ?', victim.id)).toEqual([]);
  }

  async function deleteCounts(victim: Limited, above: number): Promise<void> {
    const { raw } = subject();
    await raw.dropGuards();
    const rows = await raw.all(
      'SELECT activity_id FROM usage_points WHERE organization_id = ? AND revision > ?',
      victim.id,
      above,
    );
    for (const { activity_id } of rows)
      await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', victim.id, String(activity_id)));
    await changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > ?', victim.id, above));
  }

  const expectTampered = async (victim: Limited) => {
    const answer = await onFreshService((fresh) => victim.spend(9, fresh.url));
    expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(answer.body.message).toMatch(/usage was rolled back|does not verify/);
  };

  test.each([0, 2])('D260: counts after revision %d and their activities are deleted behind 120 refusals', async (above) => {
    const victim = await createSpender();
    for (let count = 0; count < 4; count++) expect((await victim.spend(2)).status).toBe(200);
    const powerless = memberAt(victim, 1).caller;
    for (let count = 0; count < 120; count++)
      expect((await powerless.submit('signRawPayload', signParams(victim.address))).status).toBe(403);
    await logged(victim);
    await deleteCounts(victim, above);
    await expectTampered(victim);
  });

  test('D260: the rows of the head map and of the last leaves are put back as well', async () => {
    const { raw } = subject();
    const victim = await createSpender();
    expect((await victim.spend(2)).status).toBe(200);
    await logged(victim);
    for (const table of ['log_map', 'log_heads']) await raw.run(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
    for (let count = 0; count < 3; count++) expect((await victim.spend(2)).status).toBe(200);
    await logged(victim);
    await deleteCounts(victim, 1);
    for (const table of ['log_map', 'log_heads']) {
      await raw.run(`CREATE TABLE now_${table} AS SELECT * FROM ${table}`);
      await raw.run(`DELETE FROM ${table}`);
      await raw.run(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    }
    try {
      const fresh = await onFreshService((service) => victim.spend(9, service.url)).catch((error: Error) => error);
      // It refuses to start, or to spend.
      expect(fresh instanceof Error ? 'refused to start' : fresh.status).not.toBe(200);
    } finally {
      for (const table of ['log_map', 'log_heads']) {
        await raw.run(`DELETE FROM ${table}`);
        await raw.run(`INSERT INTO ${table} SELECT * FROM now_${table}`);
        for (const copy of ['kept', 'now']) await raw.run(`DROP TABLE ${copy}_${table}`);
      }
    }
    await expectTampered(victim);
  });

  test('D260: a count that is still queued is known to a fresh process, and cannot be deleted', async () => {
    const victim = await createSpender();
    for (let count = 0; count < 4; count++) expect((await victim.spend(2)).status).toBe(200);
    // Whether the entries are queued or leaves already: 8 of 10 are spent.
    await onFreshService(async (fresh) => {
      expect((await victim.spend(3, fresh.url)).status).toBe(403);
      expect((await victim.spend(2, fresh.url)).status).toBe(200);
    });
  });

  test('first uses and later counts continue in a fresh process, and in the one before', async () => {
    const [first, second] = [await createSpender(), await createSpender()];
    expect((await second.spend(9)).status).toBe(200);
    await onFreshService(async (fresh) => {
      expect((await first.spend(9, fresh.url)).status).toBe(200);
      expect((await first.spend(2, fresh.url)).status).toBe(403);
      expect((await second.spend(2, fresh.url)).status).toBe(403);
    });
    expect((await first.spend(1)).status).toBe(200);
    expect(await pointsOf(subject().raw, first.id)).toHaveLength(2);
  });
});
