import type { Logger } from 'pino';
import { createConnectionLimit } from '../admission/connection-limit.ts';
import { senderOf } from '../admission/flow.ts';
import { ConfigError } from '../config/config-error.ts';
import { createLogger } from '../config/logger.ts';
import type { Config } from '../config/settings.ts';
import { createHttpServer } from '../http/transport/server.ts';
import { createRouter } from '../router/router.ts';
import { readShardAddresses } from '../router/shard-addresses.ts';

export interface RouteSettings extends Pick<Config, 'host' | 'port' | 'logLevel' | 'maxBodyBytes'> {
  /** `<number>=<address>` of each shard. */
  readonly shards: readonly string[];
  /** Connections per process. */
  readonly maxConnections?: number;
}

export interface RunningRouter {
  readonly url: string;
  readonly shards: readonly number[];
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10_000;
const GRACE_MS = 20_000;

/** Runs a router until `close`. Throws ConfigError for settings that it cannot use. */
export async function startRouter({
  host,
  port,
  logLevel,
  maxBodyBytes,
  shards,
  maxConnections,
}: RouteSettings): Promise<RunningRouter> {
  const addresses = readShardAddresses(shards);
  const log: Logger = createLogger(logLevel);
  const router = createRouter({ addresses, maxBodyBytes }, log);
  const limit = createConnectionLimit({ perAddress: 0, total: maxConnections ?? MAX_CONNECTIONS });
  const server = createHttpServer({ host, port, requestTimeoutSeconds: 30, keepAliveSeconds: 72 }, router.respond, {
    // SECURITY: D643: if all are used, the address with the most connections loses its oldest one.
    admit: (peer, connection) => limit.open(connection, senderOf(peer)),
  });
  const listening = await server.listen().catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause;
    throw new ConfigError(
      `Cannot listen on ${host} port ${port}: ${cause.code}.`,
      'Choose another --host or --port (0 picks a free one).',
      { cause },
    );
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}`,
    shards: [...addresses.keys()].sort((left, right) => left - right),
    async close() {
      await server.close(GRACE_MS);
      router.close();
      log.flush();
    },
  };
}
