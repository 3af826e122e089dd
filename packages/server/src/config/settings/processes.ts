import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { flag, whole } from '../setting-values.ts';

/** The processes of the service: their number, memory, log lines and shutdown. */
export const processSettings = {
  workers: { schema: whole(1, 64), default: '1', describe: 'Worker processes that share the port and the database' },
  workerTimeoutSeconds: {
    schema: whole(3, 600),
    default: '10',
    describe: 'Seconds without a response after which a worker process is killed and replaced',
  },
  unreadyWhenDegraded: {
    schema: flag,
    default: 'false',
    describe:
      'Respond with 503 at /readyz, instead of 200 with a second line, while the stored state of an organization does not verify',
  },
  logLevel: {
    schema: z.enum(['silent', 'error', 'warn', 'info', 'debug']),
    default: 'info',
    describe: 'Log level',
    reload: true,
  },
  snapshotMegabytes: {
    schema: whole(1, 65_536),
    default: '256',
    describe:
      'Approximate memory per process for cached organizations. The least recently used are evicted and loaded again on demand',
  },
  lameDuckSeconds: {
    schema: whole(0, 600),
    default: '0',
    describe:
      'How long a stopping server keeps serving while /readyz returns 503, so that a load balancer sends new requests elsewhere; longer than two of its checks',
  },
  shutdownSeconds: { schema: whole(1, 600), default: '20', describe: 'How long a stopping server waits for requests in flight' },
} as const satisfies Record<string, Setting>;
