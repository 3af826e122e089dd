import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { rebuildHeads } from '../../../packages/server/src/log/rebuild-heads.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Json, resultOf } from '../../support/caller.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed } from '../../support/tamper/tamper-case.ts';
import { errorOf } from '../../support/world.ts';
import { confirm, fundedAccount, pay, payment, sendingConfig } from './support.ts';

const DAY_MS = 24 * 60 * 60_000;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('deleted rows of sent transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;
    let raw: RawDatabase;

    const start = () => startService(installation, { config: sendingConfig([anvil.url]) });

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await start();
      raw = await installation.raw();
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    const again = (from: string, idempotencyKey: string) =>
      service.root.submit('ethSendTransaction', payment(from, { idempotencyKey }));

    /** Waits until the log has everything. */
    async function logged(): Promise<void> {
      await service.root.data('listLogEntries');
      await expect.poll(() => raw.all('SELECT seq FROM log_queue')).toEqual([]);
    }

    /** A service in place of the present one, as after a restart on another machine. */
    async function restart(): Promise<void> {
      await service.close();
      forgetCommits(installation);
      service = await start();
    }

    const faults = async (): Promise<readonly string[]> =>
      (await runDoctor({ ...installation.config, ...sendingConfig([anvil.url]) }))
        .filter(({ check, ok }) => !ok && /heads|state of/.test(check))
        .map(({ detail }) => detail);

    test.each([
      ['deleted', (id: string) => raw.run(`DELETE FROM sends WHERE id = '${id}'`)],
      ['hidden under another name', (id: string) => raw.run(`UPDATE sends SET request_key = 'x' WHERE id = '${id}'`)],
    ])('D948: the row of a named payment is %s, and the payment is not made a second time', async (how, attack) => {
      const from = await fundedAccount(service.root, anvil);
      const name = how.replaceAll(' ', '-');
      const id = await pay(service.root, from, { idempotencyKey: name });
      await confirm(service.root, anvil, id);
      expect(errorOf(await again(from, name)).code).toBe('IDEMPOTENCY_KEY_USED');
      await logged();
      const [row] = await raw.all(`SELECT request_key FROM sends WHERE id = '${id}'`);
      const [columns] = await raw.all(`SELECT * FROM sends WHERE id = '${id}'`);
      await changed(attack(id));
      for (const fresh of [false, true]) {
        if (fresh) await restart();
        expect(errorOf(await again(from, name))).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
        expect(await anvil.call('eth_getTransactionCount', [from, 'latest'])).toBe('0x1');
      }
      // Other payments of the account are not affected.
      await confirm(service.root, anvil, await pay(service.root, from, { idempotencyKey: `${name}-2` }));
      await logged();
      expect((await faults()).join()).toMatch(
        /1 organizations, usage buckets or sent transactions .* are missing|was changed or inserted/,
      );
      if (how === 'deleted') await insert(columns as Json);
      else await raw.run(`UPDATE sends SET request_key = '${row?.request_key}' WHERE id = '${id}'`);
      expect(await faults()).toEqual([]);
      expect(errorOf(await again(from, name)).code).toBe('IDEMPOTENCY_KEY_USED');
    });

    /** Puts a deleted row back. */
    async function insert(columns: Json): Promise<void> {
      const literal = (value: unknown) => {
        if (value instanceof Uint8Array) return `${engine === 'sqlite' ? "x'" : "'\\x"}${Buffer.from(value).toString('hex')}'`;
        return typeof value === 'number' || typeof value === 'bigint' ? `${value}` : `'${value}'`;
      };
      await raw.run(
        `INSERT INTO sends (${Object.keys(columns).join(', ')}) VALUES (${Object.values(columns).map(literal).join(', ')})`,
      );
    }

    test('D948: a name can be used again after a day, and then the row of the second payment cannot be deleted', async () => {
      const from = await fundedAccount(service.root, anvil);
      await confirm(service.root, anvil, await pay(service.root, from, { idempotencyKey: 'daily' }));
      service.setAheadMs(DAY_MS + 60_000);
      const send = () =>
        service.root.submit('ethSendTransaction', payment(from, { idempotencyKey: 'daily' }), {
          timestampMs: String(Date.now() + DAY_MS + 60_000),
        });
      const second = await send();
      expect(second.status, JSON.stringify(second.body)).toBe(200);
      const { sendTransactionStatusId } = resultOf(second);
      expect(errorOf(await send()).code).toBe('IDEMPOTENCY_KEY_USED');
      await changed(raw.run(`DELETE FROM sends WHERE id = '${sendTransactionStatusId}'`));
      expect(errorOf(await send())).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
      service.setAheadMs(0);
    });

    test('names that were used before an accepted loss stay used, and can be used again after a day', async () => {
      const from = await fundedAccount(service.root, anvil);
      await confirm(service.root, anvil, await pay(service.root, from, { idempotencyKey: 'before-loss' }));
      await logged();
      // What accepting a loss does: the new map has no names.
      const { store, vault, clock, commits } = service.services;
      await rebuildHeads({ store, integrity: vault.integrity, clock, epoch: commits.epoch });
      await restart();
      expect(errorOf(await again(from, 'before-loss')).code).toBe('IDEMPOTENCY_KEY_USED');
      service.setAheadMs(DAY_MS + 60_000);
      const send = () =>
        service.root.submit('ethSendTransaction', payment(from, { idempotencyKey: 'before-loss' }), {
          timestampMs: String(Date.now() + DAY_MS + 60_000),
        });
      const second = await send();
      expect(second.status, JSON.stringify(second.body)).toBe(200);
      expect(errorOf(await send()).code).toBe('IDEMPOTENCY_KEY_USED');
      service.setAheadMs(0);
      await logged();
      await confirm(service.root, anvil, await pay(service.root, from, { idempotencyKey: 'after-loss' }));
      expect(await faults()).toEqual([]);
    });
  },
);
