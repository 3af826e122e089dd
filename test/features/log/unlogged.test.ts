import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { notedCommits } from '../../../packages/server/src/log/note-files.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, errorOf, privateKeyParams, signParams } from '../../support/world.ts';

const config = { logAlarmSeconds: 1, logStopSeconds: 4 };
const defaults = { config: { logAlarmSeconds: 5, logStopSeconds: 30 } };

/** What an intruder does to the database, and how it is undone. */
interface Attack {
  readonly begin: readonly string[];
  readonly end: readonly string[];
}

const hideEntries: Record<Engine, Attack> = {
  sqlite: {
    begin: ['CREATE TRIGGER hide AFTER INSERT ON log_queue BEGIN DELETE FROM log_queue WHERE seq = NEW.seq; END'],
    end: ['DROP TRIGGER hide'],
  },
  postgres: {
    begin: [
      `CREATE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN DELETE FROM log_queue WHERE seq = NEW.seq; RETURN NULL; END'`,
      'CREATE TRIGGER hide AFTER INSERT ON log_queue FOR EACH ROW EXECUTE FUNCTION hide()',
    ],
    end: ['DROP TRIGGER hide ON log_queue', 'DROP FUNCTION hide()'],
  },
};

const failLog: Record<Engine, Attack> = {
  sqlite: {
    begin: ["CREATE TRIGGER fail BEFORE UPDATE ON log_state BEGIN SELECT RAISE(ABORT, 'failed'); END"],
    end: ['DROP TRIGGER fail'],
  },
  postgres: {
    begin: [
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''failed''; END'",
      'CREATE TRIGGER fail BEFORE UPDATE ON log_state FOR EACH ROW EXECUTE FUNCTION fail()',
    ],
    end: ['DROP TRIGGER fail ON log_state', 'DROP FUNCTION fail()'],
  },
};

const lockLog: Record<Engine, Attack> = {
  // A lock of SQLite covers the whole database, and then nothing is executed.
  sqlite: failLog.sqlite,
  postgres: { begin: ['BEGIN', 'SELECT * FROM log_state FOR UPDATE'], end: ['ROLLBACK'] },
};

describe.each(Object.keys(engines) as Engine[])('executed activities that are not in the log on %s', (engine) => {
  async function onInstallation(work: (installation: Installation, raw: RawDatabase) => Promise<void>): Promise<void> {
    const installation = await preparedEngines[engine]();
    try {
      const first = await startService(installation);
      await first.root.data('listLogEntries');
      await first.close();
      await work(installation, await installation.raw());
    } finally {
      await installation.remove();
    }
  }

  const run = async (raw: RawDatabase, statements: readonly string[]) => {
    for (const statement of statements) await raw.run(statement);
  };

  const ready = async ({ url }: TestService) => {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, text: await response.text() };
  };

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 300 && !(await holds()); attempt++) await sleep(100);
    expect(await holds()).toBe(true);
  }

  /** A stamped body that signs, and a way to send it. */
  async function signature({ root }: TestService) {
    const body = root.submitBody('signRawPayload', signParams(await createPrivateKey(root)));
    return (service: TestService) => root.with({ url: service.url }).send(root.submitPath('signRawPayload'), body);
  }

  test('D257: a process whose log entries are deleted raises an alarm, then executes nothing', async () => {
    await onInstallation(async (installation, raw) => {
      const service = await startService(installation, { config });
      const sign = await signature(service);
      await service.root.data('listLogEntries');
      await run(raw, hideEntries[engine].begin);
      const { activity } = (await sign(service)).body;
      await run(raw, hideEntries[engine].end);
      expect(await ready(service)).toMatchObject({ status: 200 });
      for (const query of ['listLogEntries', 'listAuditRecords'] as const)
        expect(errorOf(await service.root.query(query))).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
      expect(JSON.stringify(service.alarms())).toContain(`${activity.id} was executed`);
      await until(async () => (await ready(service)).status === 503);
      expect((await ready(service)).text).toContain('have not reached the log');
      expect((await ready(service)).text).not.toContain(activity.id);
      const refused = await service.root.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] });
      expect(errorOf(refused)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
      expect(refused.body.message).toContain('executed activities have not reached the log');
      await service.close();
    });
  });

  test('D257: a process that cannot write the log executes nothing, until it can', async () => {
    await onInstallation(async (installation, raw) => {
      const service = await startService(installation, { config });
      const sign = await signature(service);
      await service.root.data('listLogEntries');
      await run(raw, lockLog[engine].begin);
      const { activity } = (await sign(service)).body;
      expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      await until(async () => (await ready(service)).status === 503);
      expect(service.alarms()).toHaveLength(1);
      await run(raw, lockLog[engine].end);
      await until(async () => (await ready(service)).status === 200);
      expect((await service.root.data('getLogProof', { activityId: activity.id })).leaf).toBeDefined();
      await createPrivateKey(service.root);
      await service.close();
    });
  });

  test('D258: a body is not executed twice after its activity was hidden and deleted', async () => {
    await onInstallation(async (installation, raw) => {
      const before = await startService(installation, { config });
      const sign = await signature(before);
      await run(raw, hideEntries[engine].begin);
      const { activity } = (await sign(before)).body;
      await run(raw, hideEntries[engine].end);
      // Later commits, and the checkpoints that cover them, do not remove the note.
      for (let count = 0; count < 3; count++) {
        await createPrivateKey(before.root);
        await sleep(1_000);
      }
      await before.close();

      const unlogged = `The activity ${activity.id} of organization ${before.root.organizationId} was executed by this server and is not in the log`;
      await expect(startService(installation)).rejects.toThrow(unlogged);
      const commits = async () => (await runDoctor(installation.config)).find(({ check }) => check === 'commits');
      expect(await commits()).toMatchObject({ ok: false, detail: expect.stringContaining(unlogged) });

      await raw.dropGuards();
      expect(await raw.run('DELETE FROM activities WHERE id = ?', activity.id)).toBe(1);
      await expect(startService(installation)).rejects.toThrow(`it had accepted the activity ${activity.id}`);
      expect(await commits()).toMatchObject({ ok: false });

      expect(await recover(installation.config, true)).toMatchObject({ commitFault: expect.stringContaining(activity.id) });
      const after = await startService(installation);
      expect((await sign(after)).status).not.toBe(200);
      stampFromNowOn();
      await createPrivateKey(after.root);
      await after.close();
    });
  });

  test('D258: an inserted leaf does not stand for one that the log lacks', async () => {
    await onInstallation(async (installation, raw) => {
      const service = await startService(installation);
      const sign = await signature(service);
      await service.root.data('listLogEntries');
      const { activity: other } = (await (await signature(service))(service)).body;
      await service.root.data('listLogEntries');
      await run(raw, hideEntries[engine].begin);
      const { activity } = (await sign(service)).body;
      await run(raw, hideEntries[engine].end);
      await service.close();
      const columns = 'organization_id, activity_id, revision, leaf_index, sequence, opening, commitment, packed';
      const copied = `organization_id, '${activity.id}', revision, leaf_index + 1000, sequence + 1000, opening, commitment, packed`;
      const inserted = `INSERT INTO log_leaves (${columns}) SELECT ${copied} FROM log_leaves WHERE activity_id = '${other.id}'`;
      expect(await raw.run(inserted)).toBe(1);
      await expect(startService(installation)).rejects.toThrow('The stored log does not verify');
    });
  });

  test('starts with entries that a stopped process left in the queue', async () => {
    await onInstallation(async (installation, raw) => {
      const before = await startService(installation);
      const sign = await signature(before);
      await run(raw, failLog[engine].begin);
      const { activity } = (await sign(before)).body;
      await before.close();
      expect(await raw.all('SELECT * FROM log_queue')).not.toHaveLength(0);
      await run(raw, failLog[engine].end);
      const commits = (await runDoctor(installation.config)).find(({ check }) => check === 'commits');
      expect(commits).toMatchObject({ ok: true });
      const after = await startService(installation);
      expect((await sign(after)).body.activity.id).toBe(activity.id);
      expect(await notedCommits(installation.config)).toEqual([]);
      await after.close();
    });
  });

  test('two processes of a data directory commit at the same time, and their notes stay short', async () => {
    await onInstallation(async (installation) => {
      const services = [await startService(installation, defaults), await startService(installation, defaults)];
      const key = await createPrivateKey((services[0] as TestService).root);
      const sign = async ({ root }: TestService) => {
        for (let count = 0; count < 60; count++) {
          expect((await root.submit('signRawPayload', signParams(key))).status).toBe(200);
          await sleep(50);
        }
      };
      await Promise.all(services.map(sign));
      for (const service of services) {
        await service.root.data('listLogEntries');
        expect(service.alarms()).toEqual([]);
        expect(await ready(service)).toMatchObject({ status: 200 });
      }
      expect((await notedCommits(installation.config)).length).toBeLessThan(121);
      for (const service of services) await service.close();
      const again = await startService(installation);
      expect(await notedCommits(installation.config)).toEqual([]);
      await again.close();
    });
  });

  test('the last commits of an earlier release are checked once, then removed', async () => {
    await onInstallation(async (installation) => {
      const before = await startService(installation);
      const { activity } = (await (await signature(before))(before)).body;
      await before.close();
      rmSync(paths.commits(installation.config), { recursive: true });
      const earlier = join(installation.directory, 'last-commits');
      const write = (activityId: string) => {
        const text = `0 ${before.root.organizationId} ${activityId}`;
        const check = createHash('sha256').update(text).digest('hex').slice(0, 16);
        writeFileSync(earlier, `${`${check} ${text}`.padEnd(255)}\n`);
      };
      write('01a1eb8f-070e-7259-bdcf-f61f08814c80');
      await expect(startService(installation)).rejects.toThrow('it had accepted the activity 01a1eb8f');
      expect(readFileSync(earlier, 'latin1')).toHaveLength(256);
      write(activity.id);
      await (await startService(installation)).close();
      expect(existsSync(earlier)).toBe(false);
    });
  });
});
