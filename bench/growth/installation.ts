import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Leftovers } from '../leftovers.ts';
import { startServerProcess } from '../server-process.ts';
import { Stamper } from '../stamper.ts';
import { createProbe } from '../tenants/probe.ts';
import { createClient } from './client.ts';
import type { Growing } from './kinds.ts';
import { type Operation, operationsOn } from './operations.ts';
import type { ColdLoad, Order } from './seed-process.ts';
import type { Service } from './window.ts';

/** Limits that no measured organization reaches. */
export const settings = [
  ...['users', 'policies', 'tags'].flatMap((name) => [`--max-${name}`, '100000']),
  ...['wallets', 'private-keys'].flatMap((name) => [`--max-${name}`, '1000000']),
  // The whole organization stays in memory. Otherwise each request would measure how it is read.
  ...['--snapshot-megabytes', '4096'],
];

/** A server whose one large organization has `size` of a kind. */
export interface Installation extends ColdLoad, Service {
  readonly size: number;
  readonly operations: readonly Operation[];
  /** Stops the server and removes its data. */
  end(): Promise<void>;
}

/** Fills an organization. */
export type Fill = (order: Order) => Promise<ColdLoad>;

/**
 * One installation for each size: what others have stored makes the tables, the log and the memory of a server larger too, and would
 * hide from the ratio what that costs.
 */
export async function startInstallation(leftovers: Leftovers, fill: Fill, kind: Growing, size: number): Promise<Installation> {
  const { target, dataDir, pid, process: server } = await startServerProcess(leftovers, 1, undefined, settings);
  const url = `http://${target.host}:${target.port}`;
  const probe = await createProbe(url, target, new Stamper(target));
  const operations = operationsOn(createClient(url, probe), kind, probe);
  // A past is made of copies of these.
  for (const { isLogged, send } of operations) if (isLogged) await send('the first');
  for (const { undo } of operations) await undo();
  const cold = await fill({ dataDir, organizationId: probe.organizationId, kind, count: size });
  return {
    ...cold,
    size,
    url,
    pid,
    operations,
    async end() {
      await leftovers.end(server);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the process that fills organizations. One for all: it takes longer to start than to fill most of them. */
export async function startSeeder(leftovers: Leftovers): Promise<Fill> {
  const seeder = leftovers.fork('./growth/seed-process.ts');
  const ended = once(seeder, 'exit').then(() => Promise.reject(new Error('the organization could not be filled')));
  ended.catch(() => undefined);
  const answer = async () => (await Promise.race([once(seeder, 'message'), ended]))[0] as unknown;
  await answer();
  return async (order) => {
    seeder.send(order);
    return (await answer()) as ColdLoad;
  };
}
