import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { pointAfter, readPoint } from '../../../packages/server/src/usage/usage-entry.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import type { RawDatabase, StoredRow } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert, LARGE } from '../../support/tamper/tamper-case.ts';
import { errorOf, signParams } from '../../support/world.ts';
import { memberAt } from '../policies/support.ts';
import { createLimited, type Limited, limitEther, pointsOf, transferParams } from './support.ts';

/** An edit of what was counted, by somebody with the database's password. */
interface Edit {
  readonly id: string;
  readonly name: string;
  edit(raw: RawDatabase, victim: Limited, rows: readonly StoredRow[]): Promise<void>;
  /** What the service says. */
  readonly named: RegExp;
}

const ofVictim = 'WHERE organization_id = ? AND revision = ?';
const newest = (rows: readonly StoredRow[]) => rows.at(-1) as StoredRow;

const edits: readonly Edit[] = [
  {
    id: 'D135',
    name: 'the total of the newest count is edited',
    edit: (raw, { id }, rows) =>
      changed(raw.run(`UPDATE usage_points SET total = '1' ${ofVictim}`, id, Number(newest(rows).revision))),
    named: /usage was changed or inserted outside the service \(bucket \S+, revision 6\)/,
  },
  {
    id: 'D135',
    name: 'the time of a count is edited, so that its window ends early',
    edit: (raw, { id }) => changed(raw.run(`UPDATE usage_points SET at_ms = 1 ${ofVictim}`, id, 1)),
    named: /usage was changed or inserted outside the service \(bucket \S+, revision 1\)/,
  },
  {
    id: 'D523',
    name: 'the time of a count is edited to more than a number can hold',
    edit: (raw, { id }) => changed(raw.run(`UPDATE usage_points SET at_ms = ${LARGE} ${ofVictim}`, id, 1)),
    named: /usage was changed or inserted outside the service \(bucket \S+, revision 1\)/,
  },
  {
    id: 'D136',
    name: 'the newest counts are deleted',
    edit: (raw, { id }) => changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > 3', id)),
    named:
      /usage was rolled back: revision 3 of bucket \S+ is stored, but the log has another|behind the state that this process/,
  },
  {
    id: 'D136',
    name: 'all counts are deleted',
    edit: (raw, { id }) => changed(raw.run('DELETE FROM usage_points WHERE organization_id = ?', id)),
    named:
      /usage was rolled back: revision 0 of bucket \S+ is stored, but the log has another|behind the state that this process/,
  },
  {
    id: 'D136',
    name: 'a count in the middle of the window is deleted',
    edit: (raw, { id }) => changed(raw.run(`DELETE FROM usage_points ${ofVictim}`, id, 3)),
    named: /usage is missing or was replaced after revision 2/,
  },
  {
    id: 'D137',
    name: 'the newest counts are deleted together with their activities, and the log still has them',
    async edit(raw, { id }, rows) {
      await raw.dropGuards();
      for (const { activity_id } of rows.slice(3))
        await changed(raw.run('DELETE FROM activities WHERE organization_id = ? AND id = ?', id, String(activity_id)));
      await changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > 3', id));
    },
    named:
      /usage was rolled back: revision 3 of bucket \S+ is stored, but the log has another|behind the state that this process/,
  },
  {
    id: 'D135',
    name: 'the newest count is put in place of an earlier one, with its MAC',
    async edit(raw, { id }, rows) {
      await changed(raw.run(`DELETE FROM usage_points ${ofVictim}`, id, 2));
      await insert(raw, 'usage_points', { ...newest(rows), revision: 2 });
    },
    named: /usage was changed or inserted outside the service \(bucket \S+, revision 2\)/,
  },
  {
    id: 'D135',
    name: 'an earlier count is inserted as the newest, with its MAC',
    edit: (raw, _victim, rows) => insert(raw, 'usage_points', { ...(rows[0] as StoredRow), revision: 7 }),
    named: /usage was changed or inserted outside the service \(bucket \S+, revision 7\)/,
  },
  {
    id: 'D135',
    name: 'counts of another bucket are put in place of the own ones',
    async edit(raw, { id, root, address }, rows) {
      // A bucket of the same organization with little in it.
      await limitEther(root, { threshold: '9', seconds: 7200, identifier: 'other' });
      await root.submit('signTransaction', transferParams(address, 1));
      const other = (await raw.all('SELECT * FROM usage_points WHERE organization_id = ?', id)).find(
        ({ bucket }) => bucket !== newest(rows).bucket,
      ) as StoredRow;
      await changed(
        raw.run('DELETE FROM usage_points WHERE organization_id = ? AND bucket = ?', id, String(newest(rows).bucket)),
      );
      await insert(raw, 'usage_points', { ...other, bucket: newest(rows).bucket as string });
    },
    named: /usage was changed or inserted outside the service|behind the state that this process has seen/,
  },
];

describeEngines('tampering with usage counts', (subject) => {
  const done = new Map<string, { victim: Limited; running: Answer }>();
  let restarted: TestService;

  beforeAll(async () => {
    const { service, raw, installation } = subject();
    // A second process that has seen all of it, and whose own memory of the window is moved on by a commit of the first.
    const second = await startService(installation);
    for (const { name, edit } of edits) {
      const victim = await createLimited(service.root, "activity.action == 'SIGN' && controls.ether", (root) =>
        limitEther(root, { threshold: '0.01', seconds: 3600 }),
      );
      expect((await victim.spend(1, second.url)).status).toBe(200);
      for (let count = 0; count < 5; count++) expect((await victim.spend(1)).status).toBe(200);
      const rows = await raw.all('SELECT * FROM usage_points WHERE organization_id = ? ORDER BY revision', victim.id);
      await until(async () => (await raw.all('SELECT seq FROM log_queue')).length === 0);
      await edit(raw, victim, rows);
      done.set(name, { victim, running: await victim.spend(9, second.url) });
    }
    await second.close();
    forgetCommits(installation);
    restarted = await startService(installation);
    return () => restarted.close();
  });

  describe.each(edits)('D135, D136, D137, D523: $name ($id)', ({ name, named }) => {
    const of = () => done.get(name) as NonNullable<ReturnType<typeof done.get>>;

    test('a running service allows nothing above the limit', () => {
      const { running } = of();
      // It goes on by what it knows, and denies, or it finds the edit.
      expect([403, 500]).toContain(running.status);
      if (running.status === 500) expect(errorOf(running)).toMatchObject({ code: 'STATE_TAMPERED' });
    });

    test('a service that starts afterwards refuses, reports the error with a fix, and raises an alarm', async () => {
      const { victim } = of();
      const answer = await victim.spend(1, restarted.url);
      expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
      expect(answer.body.message).toMatch(named);
      expect(answer.body.message).toMatch(/Nothing was signed or changed.*Restore the database from a backup/);
      expect(restarted.alarms().some(({ organizationId }) => organizationId === victim.id)).toBe(true);
    });

    test('activities outside of limits continue', async () => {
      const { root } = of().victim;
      const tag = await root.with({ url: restarted.url }).submit('createUserTag', { userTagName: `T ${name}`, userIds: [] });
      expect(tag.status).toBe(200);
    });
  });

  test('D139: a process that saw newer points refuses a rolled-back bucket, although every row verifies', async () => {
    const { service, raw, installation } = subject();
    const victim = await createLimited(service.root, "activity.action == 'SIGN' && controls.ether", (root) =>
      limitEther(root, { threshold: '0.01', seconds: 3600 }),
    );
    for (let count = 0; count < 4; count++) expect((await victim.spend(2)).status).toBe(200);
    await changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > 1', victim.id));
    // Its memory says that 8 of 10 are used. The commit that builds on that is refused by the store, which shows what happened.
    const answer = await victim.spend(2);
    expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(answer.body.message).toMatch(/revision 4 of bucket \S+ was stored, but the database now has revision 1/);
    expect(await pointsOf(raw, victim.id)).toHaveLength(1);
    const later = await startService(installation);
    expect(errorOf(await victim.spend(1, later.url))).toMatchObject({ code: 'STATE_TAMPERED' });
    await later.close();
  });

  const createSpender = () =>
    createLimited(subject().service.root, "activity.action == 'SIGN' && controls.ether", (root) =>
      limitEther(root, { threshold: '0.01', seconds: 3600 }),
    );

  test('D174: deleted counts are detected behind more than a page of later activities, denied or executed', async () => {
    const { raw, installation } = subject();
    const victim = await createSpender();
    for (let count = 0; count < 4; count++) expect((await victim.spend(2)).status).toBe(200);
    const powerless = memberAt(victim, 1).caller;
    for (let count = 0; count < 105; count++) {
      expect((await powerless.submit('signRawPayload', signParams(victim.address))).status).toBe(403);
      expect((await victim.root.submit('signRawPayload', signParams(victim.address))).status).toBe(200);
    }
    await changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > 1', victim.id));
    const later = await startService(installation);
    const answer = await victim.spend(5, later.url);
    await later.close();
    expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(answer.body.message).toMatch(/revision 1 of bucket \S+ is stored, but the log has another/);
  });

  test('D175: points of rejected commits cannot replace committed points, even consecutive ones', async () => {
    const { raw, installation, service } = subject();
    const victim = await createSpender();
    for (let count = 0; count < 4; count++) expect((await victim.spend(2)).status).toBe(200);
    const rows = await raw.all('SELECT * FROM usage_points WHERE organization_id = ? ORDER BY revision', victim.id);
    const [before, , last] = rows.slice(1) as [StoredRow, StoredRow, StoredRow];
    // What a process makes whose predecessor spent less, and was refused because another node had counted.
    const { integrity } = service.services.vault;
    const key = { organizationId: victim.id, bucket: String(last.bucket) };
    const base = readPoint(integrity, {
      ...key,
      revision: 2,
      atMs: Number(before.at_ms),
      total: String(before.total),
      activityId: String(before.activity_id),
      previous: before.previous as Uint8Array,
      mac: before.mac as Uint8Array,
    });
    expect(base).toBeDefined();
    const lost = pointAfter(integrity, key, base, { amount: 1n, atMs: base?.atMs ?? 0, activityId: randomUUID() });
    const refused = pointAfter(integrity, key, lost, {
      amount: 2n * 10n ** 15n,
      atMs: Number(last.at_ms),
      activityId: String(last.activity_id),
    });
    await changed(raw.run('DELETE FROM usage_points WHERE organization_id = ? AND revision > 2', victim.id));
    for (const { revision, atMs, total, activityId, previous, mac } of [lost, refused])
      await insert(raw, 'usage_points', {
        organization_id: victim.id,
        bucket: key.bucket,
        revision,
        at_ms: atMs,
        total: `${total}`,
        activity_id: activityId,
        previous,
        mac,
      });
    const later = await startService(installation);
    const answer = await victim.spend(3, later.url);
    await later.close();
    expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(answer.body.message).toMatch(/revision 4 of bucket \S+ is stored, but the log has another/);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the log did not take its entries');
}
