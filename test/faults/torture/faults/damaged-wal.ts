import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDirectory } from '../../../support/data-directory.ts';
import { openRawSqlite } from '../../../support/raw-database.ts';
import { startServing } from '../../fault/support/serving.ts';
import { activityKey, readStored } from '../../fault/support/stored.ts';
import type { Fault } from '../fault.ts';
import { Arena } from '../support/arena.ts';
import { openSqlitePlace } from '../support/places.ts';

/** The files of SQLite that a killed service leaves. */
interface Left {
  readonly wal: string;
  readonly index: string;
}

interface Damage {
  readonly name: string;
  readonly harm: (left: Left) => void;
  /** Nothing tells of what was committed since the last checkpoint of the log, which is up to two seconds old. */
  readonly isKnownLimit?: true;
}

const damages: readonly Damage[] = [
  { name: 'a bit of the write-ahead log flipped', harm: (left) => flip(left.wal, placeIn(left)) },
  { name: 'the write-ahead log cut', harm: (left) => truncateSync(left.wal, placeIn(left)) },
  { name: 'the write-ahead log removed', harm: ({ wal }) => rmSync(wal) },
  {
    name: 'the write-ahead log and its index removed',
    harm({ wal, index }) {
      rmSync(wal);
      rmSync(index);
    },
    isKnownLimit: true,
  },
];

const TELLING = /Acknowledged activities are missing|its log has \d+ entries, but this server saw \d+/;

/** Each damage is done to a copy of what the kill left. The copy must refuse to start with a clear sentence, or lack nothing. */
export const damagedWal: Fault = {
  name: 'damaged-wal',
  title: 'kill -9, then damage to copies of the write-ahead log of SQLite',
  stores: ['sqlite'],
  rounds: 5,
  async run(stage) {
    const place = openSqlitePlace();
    let arena: Arena | undefined;
    const tally = new Map(damages.map((damage) => [damage, { refused: 0, whole: 0, lost: 0, missing: 0 }]));
    try {
      arena = await Arena.open(place);
      for (let round = 1; round <= stage.rounds; round++) {
        const load = arena.startLoad();
        await sleep(500 + Math.random() * 1_500);
        const [stopped] = [load.stop(), await arena.process.kill()];
        await stopped;
        for (const [damage, counts] of tally) {
          const found = await tryWith(arena, damage);
          if (found === 'refused') counts.refused += 1;
          else if (found === 0) counts.whole += 1;
          else {
            counts.lost += 1;
            counts.missing = Math.max(counts.missing, found);
            const what = `${damage.name}: the service started without ${found} acknowledged activities`;
            if (damage.isKnownLimit !== true) arena.broken.lost.push(what);
          }
        }
        arena.launch();
        await arena.ready();
        await arena.check();
        stage.onRound?.(round);
      }
      for (const [{ name }, { refused, whole, lost, missing }] of tally)
        arena.notes.push(
          `${name}: refused to start ${refused}, lacked nothing ${whole}, started with a loss ${lost}${lost > 0 ? ` (of at most ${missing} acknowledged activities)` : ''}`,
        );
      return await arena.findings();
    } finally {
      await arena?.close();
      await place.remove();
    }
  },
};

/** Starts a service on a damaged copy. Gives how many acknowledged activities are missing where it starts. */
async function tryWith({ place, history, broken }: Arena, { harm }: Damage): Promise<'refused' | number> {
  const directory = makeDataDirectory('torture');
  try {
    cpSync(place.directory, directory, { recursive: true });
    const file = join(directory, 'countersign.db');
    harm({ wal: `${file}-wal`, index: `${file}-shm` });
    const started = startServing({ ...place, directory });
    const isUp = await started.firstLine().then(
      () => true,
      () => false,
    );
    if (!isUp) {
      const { code, stderr } = await started.ended;
      if (code !== 1 || !TELLING.test(stderr)) broken.others.push(`it ended with ${code} and no clear sentence: ${stderr}`);
      return 'refused';
    }
    const raw = openRawSqlite(file);
    const { activities } = await readStored(raw);
    await raw.close();
    await started.kill();
    const acknowledged = [...history.acknowledgedMs.keys()].filter(({ about }) => about === undefined);
    return acknowledged.filter(({ caller, fingerprint }) => !activities.has(activityKey(caller.organizationId, fingerprint)))
      .length;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A random place in what was committed. Behind it the file has older frames, which mean nothing. */
function placeIn({ index }: Left): number {
  // https://www.sqlite.org/walformat.html: mxFrame is the fifth word of the index, in the order of the machine.
  const shm = readFileSync(index);
  const frames = endianness() === 'LE' ? shm.readUInt32LE(16) : shm.readUInt32BE(16);
  return Math.floor(Math.random() * (32 + frames * (24 + 4_096)));
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
  writeFileSync(path, bytes);
}
