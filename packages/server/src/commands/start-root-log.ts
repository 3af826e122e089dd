import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatVerifierKey, parseVerifierKey, TlogError, type VerifierKey, verifierKeyOf } from '@countersign/tlog';
import { ConfigError } from '../config/config-error.ts';
import { createLogger } from '../config/logger.ts';
import type { Config } from '../config/settings.ts';
import { type WitnessSetting, witnesses } from '../config/witnesses.ts';
import { createHttpServer } from '../http/transport/server.ts';
import { openLogKey } from '../root-log/log-key.ts';
import { createRootLog } from '../root-log/root-log.ts';
import { createRootMetrics } from '../root-log/root-metrics.ts';
import { rootPages } from '../root-log/root-pages.ts';
import { RootTree } from '../root-log/root-tree.ts';
import { readShards } from '../router/shard-addresses.ts';
import { lockInstallation } from '../store/sqlite/installation-lock.ts';
import { createWitness, ownVerifier } from '../witness/witness.ts';
import { openWitnessKey } from '../witness/witness-key.ts';
import { witnessPages } from '../witness/witness-pages.ts';
import { openWitnessStorage } from '../witness/witness-storage.ts';

export interface RootLogSettings extends Pick<Config, 'host' | 'port' | 'logLevel'> {
  /** Keys, cosigned checkpoints and the log. An older copy of this directory makes them worthless. */
  readonly dataDir: string;
  /** The name of a new log. */
  readonly name?: string;
  /** `<number>=<verifier key of its log>` of each shard. */
  readonly shards: readonly string[];
  /** Witnesses of this log, as the setting of the service. */
  readonly witnesses?: string;
  readonly intervalSeconds: number;
}

export interface RunningRootLog {
  readonly url: string;
  /** The verifier key of the root log. */
  readonly key: string;
  /** The verifier key of its cosignatures under the logs of shards. */
  readonly witnessKey: string;
  readonly size: number;
  /** Why it appends and cosigns nothing after the start. */
  readonly suspended?: string;
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
const FIX = 'Pass each shard once, such as --shard "1=$(curl -s http://10.0.0.2:8787/log/key)".';

/** Runs the root log of an installation until `close`. Throws OperatorError for settings or a directory that it cannot use. */
export async function startRootLog(settings: RootLogSettings): Promise<RunningRootLog> {
  const { dataDir, host, port, intervalSeconds } = settings;
  const shards = readShardKeys(settings.shards);
  const others = readWitnesses(settings.witnesses ?? '');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // INVARIANT: one process at a time. Two could sign different trees.
  const release = lockInstallation(join(dataDir, 'root-log'), 'exclusive');
  let stop = async () => {};
  try {
    const log = createLogger(settings.logLevel);
    const key = await openLogKey(join(dataDir, 'log.key'), settings.name);
    const { signer, cosigned } = await openWitnessKey(join(dataDir, 'witness.key'), undefined);
    const storage = await openWitnessStorage(join(dataDir, 'logs'), ownVerifier(signer), cosigned);
    const tree = await RootTree.open(join(dataDir, 'tree'), key);
    const root = createRootLog({ tree, shards, cosigned: storage, witnesses: others, log });
    const witness = createWitness({
      key: signer,
      logs: [...shards.values()],
      storage,
      log,
      nowSeconds: () => Math.floor(Date.now() / 1000),
    });
    stop = root.stop;
    await root.start();
    await root.round();
    const keyText = formatVerifierKey(verifierKeyOf(key));
    const pages = rootPages({ tree, root, metrics: createRootMetrics(root), keyText }, witnessPages(witness, log), log);
    const server = createHttpServer({ host, port, requestTimeoutSeconds: 10, keepAliveSeconds: 72 }, pages);
    const listening = await server.listen().catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === undefined) throw cause;
      throw new ConfigError(`Cannot listen on ${host} port ${port}: ${cause.code}.`, 'Choose another --host or --port.', {
        cause,
      });
    });
    const ended = new AbortController();
    // What a round could not enter, the next one enters, also that of the next process.
    const round = () => root.round().catch((error: unknown) => log.error({ err: error }, 'the root log cannot grow'));
    const rounds = repeat(intervalSeconds * 1000, ended.signal, round);
    const suspended = root.error()?.message;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}`,
      key: keyText,
      witnessKey: witness.keyText,
      size: tree.published.size,
      ...(suspended !== undefined && { suspended }),
      async close() {
        try {
          await server.close(GRACE_MS);
          ended.abort();
          await rounds;
          await round();
          await root.stop();
        } finally {
          await release();
          log.flush();
        }
      },
    };
  } catch (error) {
    await stop();
    await release();
    throw error;
  }
}

async function repeat(pauseMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    // An abort ends the pause early. It is not a failure.
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}

function readShardKeys(items: readonly string[]): ReadonlyMap<number, VerifierKey> {
  if (items.length === 0) throw new ConfigError('No shard was given.', FIX);
  const shards = readShards(items, FIX, (text) => {
    try {
      const key = parseVerifierKey(text.trim());
      if (key.type === 'ed25519') return key;
      throw new TlogError('it is the key of a witness');
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw new ConfigError(`--shard does not have the key of a log: ${error.message}.`, FIX);
    }
  });
  // SECURITY: D573: one log in two shards would be two histories of the same ids.
  const keys = [...shards.values()];
  for (const unique of [
    new Set(keys.map(({ name }) => name)),
    new Set(keys.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))),
  ])
    if (unique.size < keys.length) throw new ConfigError('Two shards have the same log.', FIX);
  return shards;
}

function readWitnesses(text: string): readonly WitnessSetting[] {
  const parsed = witnesses.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`--witnesses ${parsed.error.issues[0]?.message}.`, "Pass what 'countersign witness' prints.");
}
