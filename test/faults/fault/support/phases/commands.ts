import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readBackup } from '../../../../../packages/server/src/backup/read-backup.ts';
import { backup } from '../../../../../packages/server/src/commands/backup.ts';
import { commitLogged } from '../../../../features/backup/support.ts';
import type { Engine } from '../../../../support/installation.ts';
import { putSchema14 } from '../../../../support/schema-14.ts';
import { startService, type TestService } from '../../../../support/service.ts';
import type { Ending } from '../command-process.ts';
import { readStored } from '../stored.ts';
import { waitUntil } from '../wait-until.ts';
import { type Expected, sendKeys, sendRequests } from './expected.ts';
import { copyFiles, copyPlace, type PhasePlace } from './places.ts';

/** Runs `countersign` on a place to its end. */
export type Run = (...words: readonly string[]) => Promise<Ending>;

/** A place in the state before the command. */
export interface Prepared {
  readonly place: PhasePlace;
  readonly expected: Expected;
}

/** A maintenance command that is killed. */
export interface PhaseCommand {
  readonly engines: readonly Engine[];
  prepare(create: () => Promise<PhasePlace>): Promise<Prepared>;
  words(place: PhasePlace): readonly string[];
  /** Whether the command is a server: it ends when it is ready. */
  readonly serves?: true;
  /** Follows the messages of the command as an operator does. Throws if they do not help. */
  repair(place: PhasePlace, run: Run): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BOTH: readonly Engine[] = ['sqlite', 'postgres'];
/** Activities after the backup, which are lost. */
const LOST = 3;

const SERVE = ['serve', '--json', '--host', '127.0.0.1', '--port', '0'];

const backupFile = ({ home }: PhasePlace) => join(home, 'one.backup');
const archiveWords = ({ home }: PhasePlace) => [
  'archive',
  '--before',
  new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10),
  '--to',
  join(home, 'archive'),
];

export const phaseCommands = {
  backup: {
    engines: BOTH,
    prepare: async (create) => served(await create()),
    words: (place) => ['backup', backupFile(place)],
    async repair(place, run) {
      succeeds(await run('backup', backupFile(place)), 'already exists');
      await readBackup(backupFile(place), undefined);
    },
  },
  restore: {
    engines: BOTH,
    prepare: (create) => backedUp(create, 0),
    words: (place) => ['restore', backupFile(place)],
    repair: async (place, run) => void succeeds(await run('restore', backupFile(place)), 'is not empty'),
  },
  'restore-loss': {
    engines: BOTH,
    prepare: (create) => backedUp(create, LOST),
    words: (place) => ['restore', backupFile(place), '--accept-loss'],
    async repair(place, run) {
      const again = await run('restore', backupFile(place));
      const isFinished = again.code === 0 ? again.stdout.includes('Accepted ') : again.stderr.includes('is not empty');
      if (!isFinished) {
        refuses(again, `${LOST} activity steps are missing`);
        succeeds(await run('restore', backupFile(place), '--accept-loss'));
      }
      await hasEntry(place, 'RESTORED', 'LOSS_ACCEPTED');
    },
  },
  rotate: {
    engines: BOTH,
    prepare: async (create) => served(await create()),
    words: () => ['vault', 'rotate'],
    repair: async (_place, run) => void succeeds(await run('vault', 'rotate')),
  },
  archive: {
    engines: BOTH,
    prepare: async (create) => served(await create(), addOldSignatures),
    words: archiveWords,
    repair: async (place, run) => void succeeds(await run(...archiveWords(place))),
  },
  /** The first start after an upgrade: migrates the schema, and records all heads in the log. */
  upgrade: {
    engines: BOTH,
    prepare: async (create) => ofSchema14(await create()),
    words: () => SERVE,
    serves: true,
    repair: async (_place, run) => void succeeds(await run(...SERVE)),
  },
  recover: {
    engines: BOTH,
    prepare: rolledBack,
    words: () => ['recover', '--accept-loss'],
    repair: repairByRecover,
  },
  'recover-wal': {
    engines: ['sqlite'],
    prepare: cutWal,
    words: () => ['recover', '--accept-loss'],
    repair: repairByRecover,
  },
} as const satisfies Record<string, PhaseCommand>;

async function repairByRecover(place: PhasePlace, run: Run): Promise<void> {
  const again = await run('recover');
  if (again.code !== 0 || again.stdout.includes('pass --accept-loss')) succeeds(await run('recover', '--accept-loss'));
  await hasEntry(place, 'LOG_LOSS_ACCEPTED');
}

/** Serves a place, and stops when the data directory has recorded the whole log. */
async function served(
  place: PhasePlace,
  more: (service: TestService) => Promise<void> = async () => undefined,
): Promise<Prepared> {
  const requests: Expected['requests'][number][] = [];
  const service = await startService(place);
  const signature = await sendRequests(service.root, requests);
  await more(service);
  await stop(service, place);
  return { place, expected: { stored: await readStored(await place.raw()), requests, signature } };
}

async function ofSchema14(place: PhasePlace): Promise<Prepared> {
  const { requests, signature } = await putSchema14(place);
  return { place, expected: { stored: await readStored(await place.raw()), requests, signature } };
}

async function addOldSignatures({ services, root }: TestService): Promise<void> {
  for (let days = 8; days < 14; days++) await commitLogged(services, undefined, Date.now() - days * DAY_MS);
  await root.data('listLogEntries');
}

async function stop(service: TestService, place: PhasePlace): Promise<void> {
  await service.root.data('listLogEntries');
  const raw = await place.raw();
  await waitUntil(30_000, async () => {
    const [queue] = await raw.all('SELECT count(*) AS count FROM log_queue');
    return Number(queue?.count) === 0;
  });
  await service.close();
}

/** A data directory without a database, and a backup that lacks the last activities. */
async function backedUp(create: () => Promise<PhasePlace>, lost: number): Promise<Prepared> {
  const { place: source, expected } = await served(await create());
  const place = await create();
  const requests = [...expected.requests];
  try {
    await backup(source.config, { file: backupFile(place) });
    const service = await startService(source);
    await sendKeys(service.root, requests, lost);
    await stop(service, source);
    copyFiles(source, place);
  } finally {
    await source.remove();
  }
  return { place, expected: { ...expected, requests } };
}

/** A data directory that has seen more than the database contains. */
async function rolledBack(create: () => Promise<PhasePlace>): Promise<Prepared> {
  const { place: source, expected } = await served(await create());
  const place = await copyPlace(source);
  const requests = [...expected.requests];
  try {
    const service = await startService(source);
    await sendKeys(service.root, requests, LOST);
    await stop(service, source);
    copyFiles(source, place);
  } finally {
    await source.remove();
  }
  return { place, expected: { ...expected, requests } };
}

/** A database whose write-ahead log was deleted. Neither the recorded checkpoint nor the recorded commits reveal it. */
async function cutWal(create: () => Promise<PhasePlace>): Promise<Prepared> {
  const { place, expected } = await served(await create());
  const requests = [...expected.requests];
  const source = await copyPlace(place);
  try {
    const service = await startService(source);
    await sendKeys(service.root, requests, LOST);
    for (const name of readdirSync(source.directory).filter((each) => each.startsWith('countersign.db')))
      cpSync(join(source.directory, name), join(place.directory, name));
    await service.close();
  } finally {
    await source.remove();
  }
  rmSync(join(place.directory, 'countersign.db-wal'));
  return { place, expected: { ...expected, requests } };
}

/** Whether the log or its queue has an entry of the installation. */
async function hasEntry(place: PhasePlace, ...words: readonly string[]): Promise<void> {
  const raw = await place.raw();
  const rows = [
    ...(await raw.all("SELECT opening AS text FROM log_leaves WHERE organization_id = 'installation'")),
    ...(await raw.all("SELECT body AS text FROM log_queue WHERE organization_id = 'installation'")),
  ].map(({ text }) => (typeof text === 'string' ? text : Buffer.from(text as Uint8Array).toString()));
  if (!rows.some((text) => words.every((word) => text.includes(`"${word}"`))))
    throw new Error(`the log has no entry ${words.join(' ')}: ${rows.join('\n')}`);
}

/** Throws unless the command succeeded, or says that there is nothing left to do. */
function succeeds({ code, stderr, stdout }: Ending, orSays?: string): void {
  if (code === 0 || (orSays !== undefined && stderr.includes(orSays))) return;
  throw new Error(`the repair failed with ${code}: ${stderr}${stdout}`);
}

function refuses({ code, stderr, stdout }: Ending, because: string): void {
  if (code === 1 && stderr.includes(because)) return;
  throw new Error(`the loss is not reported again: ${code}: ${stderr}${stdout}`);
}
