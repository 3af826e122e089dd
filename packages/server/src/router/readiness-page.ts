import type { ShardAddresses } from './shard-addresses.ts';

/** The longest time to wait for a shard. */
const WAIT_MS = 3_000;
/** How long a result is used. SECURITY: unauthenticated clients can ask, so they cause one request per shard and second. */
const FRESH_MS = 1_000;

/** Whether shards accept requests. 503 if none does: a router with one that does is of use, and the others are listed. */
export function createReadinessPage(
  addresses: ShardAddresses,
): () => Promise<{ readonly status: number; readonly text: string }> {
  let last: { readonly atMs: number; readonly page: Promise<{ readonly status: number; readonly text: string }> } | undefined;

  async function look(): Promise<{ readonly status: number; readonly text: string }> {
    const shards = [...addresses].sort(([left], [right]) => left - right);
    const states = await Promise.all(shards.map(async ([shard, address]) => ({ shard, isReady: await isReady(address) })));
    const absent = states.filter(({ isReady }) => !isReady).map(({ shard }) => shard);
    if (absent.length === 0) return { status: 200, text: 'ok\n' };
    const listed = `shards that are not ready: ${absent.join(', ')}\n`;
    return absent.length === states.length ? { status: 503, text: listed } : { status: 200, text: `ok\n${listed}` };
  }

  return () => {
    if (last === undefined || performance.now() - last.atMs > FRESH_MS) last = { atMs: performance.now(), page: look() };
    return last.page;
  };
}

async function isReady(address: URL): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', address), { redirect: 'error', signal: AbortSignal.timeout(WAIT_MS) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false; // It does not respond.
  }
}
