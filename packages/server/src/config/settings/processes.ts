import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { flag, whole } from '../setting-values.ts';

/** The processes of the service: their number, memory, log lines and shutdown. */
export const processSettings = {
  workers: { schema: whole(1, 64), default: '1', describe: 'Worker processes that share the port and the database' },
  isolate: {
    schema: z
      .enum(['auto', 'on', 'off', 'true', 'false'], 'must be auto, on or off')
      .transform((text) => (text === 'true' ? 'on' : text === 'false' ? 'off' : text)),
    default: 'auto',
    choices: '[auto|on|off]',
    describe:
      'Serve HTTP in separate edge processes that have no access to keys, files and the database. Needs Linux with Landlock, or a start as root. `auto` does so if this machine and the other settings allow it; `on` does not start without it',
  },
  edgeUser: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,9}:[1-9]\d{0,9}$/, 'must be a user id and a group id, such as 65534:65534, and not those of root')
      .transform((text) => {
        const [uid, gid] = text.split(':').map(Number) as [number, number];
        return { uid, gid };
      }),
    default: '65534:65534',
    describe: 'User and group id of edge processes, if the service is started as root',
  },
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
