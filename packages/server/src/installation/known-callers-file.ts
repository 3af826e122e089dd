import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { KnownCaller, KnownCallers } from '../admission/index.ts';
import { replaceFile } from '../store/durable-file.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

type Keys = Pick<Integrity, 'knownCaller'>;

const KEY_BYTES = 16;
const HOUR_MS = 3_600_000;
/** How often new callers are written. */
const EVERY_MS = 15_000;
/** How often the file is written without new ones: their ages change. */
const RENEW_MS = HOUR_MS;

/** Identifies a credential at an address without showing either. */
export function knownCallerKey(keys: Keys, pair: string): string {
  return Buffer.from(keys.knownCaller('pair', pair)).toString('base64url', 0, KEY_BYTES);
}

/** Key, organization, user, the hour in which it last verified, and the parent of the organization if it has one. */
const row = z.tuple([z.string(), z.string(), z.string(), z.int()]).rest(z.string());
const contents = z.strictObject({ version: z.literal(1), callers: z.array(row) });

/** The content of the file: its MAC and JSON, each in a line. The order is that of `callers`. */
export function writeKnownCallers(keys: Keys, callers: readonly KnownCaller[], nowMs: number): Buffer {
  const rows = callers.map(({ key, tenantId, organizationId, userId, ageMs }): z.infer<typeof row> => {
    const parent = tenantId === organizationId ? [] : [tenantId];
    return [key, organizationId, userId, Math.floor((nowMs - ageMs) / HOUR_MS), ...parent];
  });
  const json = JSON.stringify({ version: 1, callers: rows } satisfies z.infer<typeof contents>);
  return Buffer.from(`${Buffer.from(keys.knownCaller('file', json)).toString('hex')}\n${json}\n`);
}

/** SECURITY: D343: a file that this installation did not write, or that was changed, is empty. */
export function readKnownCallers(keys: Keys, file: Buffer, nowMs: number): KnownCaller[] {
  const [mac = '', json = ''] = file.toString('utf8').split('\n');
  if (!macsEqual(keys.knownCaller('file', json), Buffer.from(mac, 'hex'))) return [];
  const { callers } = contents.parse(JSON.parse(json));
  return callers.map(([key, organizationId, userId, hour, tenantId = organizationId]) => ({
    key,
    tenantId,
    organizationId,
    userId,
    ageMs: Math.max(0, nowMs - hour * HOUR_MS),
  }));
}

/**
 * Keeps the known callers in the data directory, so that tenants are served first even if a server restarts during a flood. Several
 * processes share the file: each adds what it reads to its own. What one of them overwrites it writes again with its next new caller.
 */
export async function startKnownCallers(path: string, known: KnownCallers, keys: Keys, log: Pick<Logger, 'warn'>) {
  const ended = new AbortController();
  let [writtenRevision, writtenAtMs] = [known.revision, Number.NEGATIVE_INFINITY];

  async function read(): Promise<void> {
    const file = await readFile(path).catch(() => undefined);
    if (file === undefined) return;
    for (const caller of readKnownCallers(keys, file, Date.now())) known.restore(caller);
  }

  async function write(): Promise<void> {
    if (known.revision === writtenRevision && performance.now() - writtenAtMs < RENEW_MS) return;
    [writtenRevision, writtenAtMs] = [known.revision, performance.now()];
    await read();
    const callers = [...known.list()].sort((a, b) => b.ageMs - a.ageMs);
    if (callers.length > 0) await replaceFile(path, writeKnownCallers(keys, callers, Date.now()));
  }

  const guarded = (work: () => Promise<void>) =>
    work().catch((error: unknown) =>
      log.warn({ err: error }, 'known callers cannot be read from or written to the data directory'),
    );

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      await guarded(write);
    }
  }

  await guarded(read);
  const working = work();
  return {
    /** Writes the last ones. */
    async stop(): Promise<void> {
      ended.abort();
      await working;
    },
  };
}
