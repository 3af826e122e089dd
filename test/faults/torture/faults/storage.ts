import type { Fault } from '../fault.ts';
import { createFailingStorage, missingForFailingStorage, type StorageFailure } from '../support/failing-storage.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openSqlitePlace } from '../support/places.ts';

const FAILS_MS = 3_000;

/** In every second round the service is killed while its storage fails, and starts on what that left. */
const failingStorage = (name: string, title: string, how: StorageFailure): Fault => ({
  name,
  title: `${title} for 3 s; in every second round the service is killed in that time`,
  stores: ['sqlite'],
  rounds: 6,
  missing: missingForFailingStorage,
  async run(stage) {
    const place = openSqlitePlace();
    const storage = createFailingStorage(place.directory);
    try {
      return await inRounds(stage, place, { environment: storage.environment }, (arena, round) => ({
        begin: async () => storage.fail(how),
        lastsMs: stage.brief === true ? 2_000 : FAILS_MS,
        async end() {
          const { status } = await fetch(`${arena.url}/readyz`);
          // Old blocks can be written on a full disk, so the service may live on for a while.
          if (status !== 503 && how !== 'full') arena.broken.others.push(`/readyz said ${status} while the storage failed`);
          if (round % 2 === 0) await arena.process.kill();
          storage.heal();
          if (round % 2 === 0) arena.launch();
        },
      }));
    } finally {
      storage.remove();
    }
  },
});

export const fullDisk = failingStorage('disk-full', 'a full disk (ENOSPC)', 'full');
export const readOnlyDisk = failingStorage('disk-read-only', 'read-only storage (EROFS)', 'read-only');
export const failingSync = failingStorage('disk-sync', 'failing fsync (EIO)', 'sync');
