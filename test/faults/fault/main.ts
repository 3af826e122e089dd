import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import type { Engine } from '../../support/installation.ts';
import { startPostgres } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase } from '../../support/raw-database.ts';
import { type CampaignReport, renderReport, runCampaign, type Victim } from './support/campaign.ts';
import { FirstRun } from './support/first-run.ts';
import { type LimitsReport, renderLimits, runLimits } from './support/limits-campaign.ts';
import { type PhaseCommandName, runPhases } from './support/phases/campaign.ts';
import { phaseCommands } from './support/phases/commands.ts';
import { renderRotations, runRotations } from './support/rotate-campaign.ts';
import { type PaidChainName, paidChains, renderSends, runSends } from './support/sends-campaign.ts';
import { type Place, serve } from './support/serving.ts';
import { runShards, type ShardPlace } from './support/shards-campaign.ts';

const usage = `Kills the real server again and again under load, and checks that nothing acknowledged is lost, done twice or missing in the log.

  npm run fault -- [--kills 50] [--store sqlite,postgres] [--workers 1] [--victim server|worker] [--seconds-max 1800]

Each kill is followed by a check. A store's campaign begins no further kill after --seconds-max.

  npm run fault -- limits [--rounds 500] [--store sqlite,postgres]

Rounds of concurrent spending under limits at two servers, with kills, clock steps and restarts of the database. Prints a table: what was
released above a limit, released and not counted, or acknowledged and lost must be 0.

  npm run fault -- first-run [--rounds 20] [--store sqlite,postgres]

First runs that are killed five times around their first writes, each in a new place. It must then start with credentials that work.

  npm run fault -- rotate [--rounds 5] [--store sqlite,postgres] [--workers 2]

Rotates the root key and the data keys under load, one server on SQLite and two on PostgreSQL, and kills each rotation twice before it may
finish. Requests that fail, and keys that are lost, must be 0.

  npm run fault -- phases [--points 40] [--command backup,restore,…] [--store sqlite,postgres]

Kills backup, restore, rotate, archive, recover and the first start after an upgrade at calls that change a file, and at messages to the
database server, each time on a copy of the same installation. Then follows the messages of the command, and checks that nothing is lost,
executed twice or missing in the log, that doctor finds nothing, and that no file is left.

  npm run fault -- sends [--chain ethereum|bitcoin] [--kills 50] [--store sqlite,postgres]

Kills the server, or one of two servers on PostgreSQL, at random times while clients pay from three accounts with a real Ethereum node, and speed
up or cancel some payments. Every acknowledged payment must reach one final state, be on the chain once, and leave no gap in the nonces.
On Bitcoin, with a stand-in for the node, some coins are spent twice or elsewhere, and blocks are replaced. No coin may be spent by two
signatures, and what the accounts have left must be spendable.

  npm run fault -- shards [--shards 8] [--signatures 100]

An installation with shards on two PostgreSQL servers, a router and a root log, under load. The first server is killed and fails over to a
synchronous standby, the second is killed and restarts, and a shard moves to the other server by backup and restore. Requests of the other
server must not fail, and nothing that was acknowledged may be lost, executed twice, in another shard or missing in the root log.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    shards: { type: 'string', default: '8' },
    signatures: { type: 'string', default: '100' },
    points: { type: 'string', default: '40' },
    command: { type: 'string' },
    kills: { type: 'string', default: '50' },
    chain: { type: 'string', default: 'ethereum' },
    store: { type: 'string', default: 'sqlite,postgres' },
    workers: { type: 'string', default: '1' },
    victim: { type: 'string', default: 'server' },
    'seconds-max': { type: 'string', default: '1800' },
    help: { type: 'boolean', default: false },
  },
});

interface OwnPlace extends Place {
  /** Ends the database server with kill -9 and starts it again. A file has none. */
  readonly restartDatabase?: () => Promise<void>;
  remove(): Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<OwnPlace>>> = {
  async sqlite() {
    const directory = makeDataDirectory('fault');
    return place('sqlite', directory, async () => openRawSqlite(join(directory, 'countersign.db')));
  },
  async postgres() {
    const server = await startPostgres();
    const { url } = await createDatabase(server.url);
    const made = place('postgres', makeDataDirectory('fault'), () => openRawPostgres(url));
    const remove = async () => {
      await made.remove();
      await server.stop();
    };
    const restartDatabase = () => server.crash().then(server.restart);
    return { ...made, databaseUrl: url, restartDatabase, remove };
  },
};

function place(engine: Place['engine'], directory: string, open: () => Promise<RawDatabase>): OwnPlace {
  let opened: Promise<RawDatabase> | undefined;
  const remove = async () => {
    await (await opened)?.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { engine, directory, raw: () => (opened ??= open()), remove };
}

function opener(store: string): () => Promise<OwnPlace> {
  const open = stores[store];
  if (open === undefined) throw new Error(`--store knows ${Object.keys(stores).join(' and ')}, not ${store}`);
  return open;
}

async function spend(store: string): Promise<LimitsReport> {
  const where = await opener(store)();
  const { restartDatabase } = where;
  const onRound = (round: number) => round % 50 === 0 && process.stderr.write(`${store}: ${round} rounds\n`);
  try {
    return await runLimits({
      place: where,
      rounds: Number(values.rounds ?? 500),
      ...(restartDatabase && { restartDatabase }),
      onRound,
    });
  } finally {
    await where.remove();
  }
}

/** How many new places did not work after first runs in them had been killed. */
async function killFirstRuns(store: string, rounds: number): Promise<number> {
  let broken = 0;
  for (let round = 1; round <= rounds; round++) {
    const where = await opener(store)();
    try {
      const firstRun = new FirstRun(where);
      for (let kills = 0; kills < 5; kills++) await firstRun.kill();
      const serving = await serve(where);
      if ((await serving.root.query('whoami')).status !== 200) throw new Error('the credentials do not work');
      await serving.kill();
    } catch (error) {
      broken += 1;
      process.stdout.write(`${store}, round ${round}: ${error}\n`);
    } finally {
      await where.remove();
    }
  }
  process.stdout.write(`${store}: ${rounds} first runs, each killed five times; broken = ${broken}\n`);
  return broken;
}

/** Returns whether rotations on one store lost nothing. */
async function rotate(store: string): Promise<boolean> {
  const where = await opener(store)();
  try {
    const report = await runRotations({
      place: where,
      nodes: store === 'postgres' ? 2 : 1,
      workers: Number(values.workers),
      rounds: Number(values.rounds ?? 5),
      kills: 2,
      connections: 8,
    });
    process.stdout.write(`${renderRotations(store, report)}\n`);
    return report.failed.length === 0 && report.lost.length === 0;
  } finally {
    await where.remove();
  }
}

/** Returns whether a campaign on one store found nothing. */
async function killInPhases(engine: Engine): Promise<boolean> {
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  const known = Object.keys(phaseCommands) as PhaseCommandName[];
  let isSound = true;
  try {
    for (const command of values.command === undefined
      ? known
      : known.filter((name) => values.command?.split(',').includes(name))) {
      if (!(phaseCommands[command].engines as readonly Engine[]).includes(engine)) continue;
      const onKill = (where: string) => process.stderr.write(`${engine}, ${command}: ${where}\n`);
      const at = { engine, command, points: Number(values.points), ...(server && { server: server.url }) };
      const { calls, kills, notReached, violations } = await runPhases({ ...at, onKill });
      const rest = `${notReached} ended before; violations = ${violations.length}`;
      process.stdout.write(`${engine}, ${command}: ${calls} calls, ${kills} kills, ${rest}\n`);
      for (const violation of violations) process.stdout.write(`  ${violation}\n`);
      isSound &&= violations.length === 0;
    }
  } finally {
    await server?.stop();
  }
  return isSound;
}

/** Kills both database servers of an installation with shards, each of which is a process. */
async function killUnderShards(): Promise<boolean> {
  const flagsOf = ({ shard, witnesses }: ShardPlace) => [
    ...['--shard', String(shard), '--trusted-proxies', '127.0.0.1/32', '--database-pool', '4'],
    ...(witnesses === undefined ? [] : ['--witnesses', witnesses]),
  ];
  const { acknowledged, entries, outages, violations } = await runShards({
    shards: Number(values.shards),
    signatures: Number(values.signatures),
    onStep: (what) => process.stderr.write(`shards: ${what}\n`),
    configOf: ({ directory, databaseUrl }) =>
      readConfig({ dataDir: directory, logLevel: 'error' }, { COUNTERSIGN_DATABASE_URL: databaseUrl }),
    async start(at) {
      const { directory, databaseUrl } = at;
      const { url, root, signal, ended } = await serve(
        { engine: 'postgres', directory, databaseUrl, raw: () => openRawPostgres(databaseUrl) },
        flagsOf(at),
      );
      const close = async () => {
        signal('SIGTERM');
        await ended;
      };
      return { url, root, close };
    },
  });
  process.stdout.write(
    `${values.shards} shards: ${acknowledged} signatures, ${entries} entries in the root log; violations = ${violations.length}\n`,
  );
  for (const { what, othersSigned, othersFailed, ownFailed } of outages)
    process.stdout.write(
      `  ${what}: ${othersSigned} signatures on the other server, ${othersFailed} failed; ${ownFailed} failed on this one\n`,
    );
  for (const violation of violations) process.stdout.write(`  ${violation}\n`);
  return violations.length === 0;
}

/** Returns whether every payment that was acknowledged was made once. */
async function send(store: string): Promise<boolean> {
  if (!Object.hasOwn(paidChains, values.chain)) throw new Error(`--chain knows ${Object.keys(paidChains).join(' and ')}`);
  const chain = values.chain as PaidChainName;
  const where = await opener(store)();
  try {
    const onKill = (kills: number) => process.stderr.write(`${store}: ${kills} kills\n`);
    const nodes = store === 'postgres' ? 2 : 1;
    const report = await runSends({ place: where, chain, kills: Number(values.kills), nodes, onKill });
    process.stdout.write(`${renderSends(store, report)}\n`);
    return report.violations.length === 0;
  } finally {
    await where.remove();
  }
}

async function run(store: string): Promise<boolean> {
  const open = opener(store);
  const historyFile = join(tmpdir(), `countersign-fault-${store}-${process.pid}.jsonl`);
  const where = await open();
  let report: CampaignReport;
  try {
    report = await runCampaign({
      place: where,
      kills: Number(values.kills),
      workers: Number(values.workers),
      victims: [values.victim as Victim],
      secondsMax: Number(values['seconds-max']),
      thorough: true,
      told: true,
      historyFile,
      onKill: (kills) => process.stderr.write(`${store}: ${kills} kills\n`),
    });
  } finally {
    await where.remove();
  }
  process.stdout.write(`${renderReport(store, report)}\n`);
  const sound = Object.values(report.violations).every((cases) => cases.length === 0);
  if (sound) rmSync(historyFile, { force: true });
  else process.stdout.write(`  history: ${historyFile}\n`);
  return sound;
}

if (values.help) {
  process.stdout.write(usage);
} else if (positionals[0] === 'limits') {
  const reports: [string, LimitsReport][] = [];
  for (const store of values.store.split(',')) reports.push([store, await spend(store)]);
  process.stdout.write(`${renderLimits(reports)}\n`);
  const isSound = reports.every(([, { violations }]) => Object.values(violations).every((found) => found.length === 0));
  process.exitCode = isSound ? 0 : 1;
} else if (positionals[0] === 'first-run') {
  let broken = 0;
  for (const store of values.store.split(',')) broken += await killFirstRuns(store, Number(values.rounds ?? 20));
  process.exitCode = broken === 0 ? 0 : 1;
} else if (positionals[0] === 'rotate') {
  const sound: boolean[] = [];
  for (const store of values.store.split(',')) sound.push(await rotate(store));
  process.exitCode = sound.every(Boolean) ? 0 : 1;
} else if (positionals[0] === 'sends') {
  const sound: boolean[] = [];
  for (const store of values.store.split(',')) sound.push(await send(store));
  process.exitCode = sound.every(Boolean) ? 0 : 1;
} else if (positionals[0] === 'shards') {
  process.exitCode = (await killUnderShards()) ? 0 : 1;
} else if (positionals[0] === 'phases') {
  const sound: boolean[] = [];
  for (const store of values.store.split(',')) sound.push(await killInPhases(store as Engine));
  process.exitCode = sound.every(Boolean) ? 0 : 1;
} else {
  const sound: boolean[] = [];
  for (const store of values.store.split(',')) sound.push(await run(store));
  process.exitCode = sound.every(Boolean) ? 0 : 1;
}
