import { MAX_SHARD } from '@countersign/contract';
import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { flag, whole } from '../setting-values.ts';

/** Where data is stored. */
export const storageSettings = {
  dataDir: {
    schema: z.string().min(1),
    default: 'countersign-data',
    describe: 'Directory of the embedded database, the root key and the first credentials',
  },
  databaseUrl: {
    schema: z.string().min(1),
    describe:
      'PostgreSQL connection URL; without it the embedded database in the data directory is used. Of several hosts (host1:5432,host2:5432) the writable one is used',
    secret: true,
  },
  databasePool: { schema: whole(2, 200), default: '8', describe: 'Maximum connections to PostgreSQL per process' },
  databaseTimeoutSeconds: {
    schema: whole(1, 600),
    default: '5',
    describe:
      'Maximum time of a PostgreSQL statement; a request waits twice as long for a lock. After that it is rejected with 503',
  },
  shard: {
    schema: whole(0, MAX_SHARD),
    describe:
      'Number of this shard in an installation with several, for a new database; the ids of its organizations contain it. By default the number of the database, 0 for a new one',
  },
  allowUnsafeDatabase: {
    schema: flag,
    default: 'false',
    describe: 'Start although PostgreSQL may lose acknowledged commits in a crash',
  },
} as const satisfies Record<string, Setting>;
