import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase } from '../support/raw-database.ts';
import { type CampaignReport, renderReport, runCampaign, type Victim } from './support/campaign.ts';
import type { Place } from './support/serving.ts';

const usage = `Kills the real server again and again under load, and checks that nothing acknowledged is lost or done twice.

  npm run fault -- [--kills 50] [--store sqlite,postgres] [--workers 1] [--victim server|worker] [--seconds-max 1800]

Each kill is followed by a check. A store's campaign begins no further kill after --seconds-max.
`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    store: { type: 'string', default: 'sqlite,postgres' },
    workers: { type: 'string', default: '1' },
    victim: { type: 'string', default: 'server' },
    'seconds-max': { type: 'string', default: '1800' },
    help: { type: 'boolean', default: false },
  },
});

interface OwnPlace extends Place {
  remove(): Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<OwnPlace>>> = {
  async sqlite() {
    const directory = temporaryDirectory();
    return place('sqlite', directory, async () => openRawSqlite(join(directory, 'countersign.db')));
  },
  async postgres() {
    const server = await startPostgres();
    const { url } = await createDatabase(server.url);
    const made = place('postgres', temporaryDirectory(), () => openRawPostgres(url));
    const remove = async () => {
      await made.remove();
      await server.stop();
    };
    return { ...made, databaseUrl: url, remove };
  },
};

function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'countersign-fault-'));
}

function place(engine: Place['engine'], directory: string, open: () => Promise<RawDatabase>): OwnPlace {
  let opened: Promise<RawDatabase> | undefined;
  const remove = async () => {
    await (await opened)?.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { engine, directory, raw: () => (opened ??= open()), remove };
}

async function run(store: string): Promise<boolean> {
  const open = stores[store];
  if (open === undefined) throw new Error(`--store knows ${Object.keys(stores).join(' and ')}, not ${store}`);
  const historyFile = join(tmpdir(), `countersign-fault-${store}-${process.pid}.jsonl`);
  const where = await open();
  let report: CampaignReport;
  try {
    report = await runCampaign({
      place: where,
      kills: Number(values.kills),
      workers: Number(values.workers),
      victim: values.victim as Victim,
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
} else {
  const sound: boolean[] = [];
  for (const store of values.store.split(',')) sound.push(await run(store));
  process.exitCode = sound.every(Boolean) ? 0 : 1;
}
