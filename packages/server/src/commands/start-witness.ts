import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseVerifierKey, TlogError, type VerifierKey } from '@countersign/tlog';
import { type Logger, pino } from 'pino';
import { createHttpServer, type HttpSettings } from '../http/transport/server.ts';
import { lockInstallation } from '../store/sqlite/installation-lock.ts';
import { createWitness, ownVerifier } from '../witness/witness.ts';
import { openWitnessKey, WitnessError } from '../witness/witness-key.ts';
import { witnessPages } from '../witness/witness-pages.ts';
import { openWitnessStorage, originHash } from '../witness/witness-storage.ts';

export interface WitnessSettings extends Pick<HttpSettings, 'host' | 'port'> {
  /** Its key and its state. An older copy of this directory makes the witness worthless. */
  readonly dataDir: string;
  /** The name of a new key. */
  readonly name?: string;
  /** The verifier keys of the logs to watch. */
  readonly logKeys: readonly string[];
  readonly logLevel: string;
}

export interface RunningWitness {
  readonly url: string;
  /** The verifier key of its cosignatures. */
  readonly key: string;
  readonly logs: readonly { readonly origin: string; readonly checkpoint: string; readonly size: number | null }[];
  close(): Promise<void>;
}

const GRACE_MS = 5_000;

/** Runs a witness until `close`. Throws WitnessError for a directory, a name or a key that it cannot use. */
export async function startWitness(settings: WitnessSettings): Promise<RunningWitness> {
  const { dataDir, host, port } = settings;
  const logs = settings.logKeys.map(readLogKey);
  if (logs.length === 0)
    throw new WitnessError('No log to watch was given.', 'Pass the key that the service shows at /log/key with --log-key.');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // INVARIANT: one process at a time. Two could cosign different trees.
  const release = lockInstallation(join(dataDir, 'witness'), 'exclusive');
  try {
    const log = createLog(settings.logLevel);
    const { signer: key, cosigned } = await openWitnessKey(join(dataDir, 'witness.key'), settings.name);
    const storage = await openWitnessStorage(join(dataDir, 'logs'), ownVerifier(key), cosigned);
    const origins = [...new Set(logs.map(({ name }) => name))];
    const sizes = await Promise.all(origins.map(async (origin) => (await storage.read(origin))?.size ?? null));
    const witness = createWitness({ key, logs, storage, log, nowSeconds: () => Math.floor(Date.now() / 1000) });
    const server = createHttpServer({ host, port, requestTimeoutSeconds: 10, keepAliveSeconds: 72 }, witnessPages(witness, log));
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${await listen(server.listen, settings)}`;
    return {
      url,
      key: witness.keyText,
      logs: origins.map((origin, at) => ({
        origin,
        checkpoint: `${url}/${originHash(origin)}/checkpoint`,
        size: sizes[at] ?? null,
      })),
      async close() {
        await server.close(GRACE_MS);
        await release();
        log.flush();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function readLogKey(text: string): VerifierKey {
  try {
    const key = parseVerifierKey(text);
    if (key.type === 'ed25519') return key;
    throw new TlogError('it is the key of a witness');
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(
      `--log-key is not the key of a log: ${error.message}.`,
      'Pass the line that the service shows at /log/key, in quotes.',
    );
  }
}

async function listen(start: () => Promise<number>, { host, port }: WitnessSettings): Promise<number> {
  try {
    return await start();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new WitnessError(
      `Cannot listen on ${host} port ${port}: ${code}.`,
      'Choose another --host or --port (0 picks a free one).',
      {
        cause,
      },
    );
  }
}

function createLog(level: string): Logger {
  return pino({ level, base: { pid: process.pid } }, pino.destination({ dest: 2, sync: false }));
}
