import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { formatEntryBundle, parseTilePath, TILE_WIDTH, TlogError } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { RootLog } from './root-log.ts';
import type { RootMetrics } from './root-metrics.ts';
import type { RootTree } from './root-tree.ts';

const PREFIX = '/log/';
const METRICS = '/metrics';
const SHARD = /^shards\/(0|[1-9]\d{0,4})$/;
/** The bytes at the path of a tile never change, because a narrower tile has another path. */
const FOREVER = 'public, max-age=31536000, immutable';

interface Page {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly cache?: string;
}

export interface RootPagesServices {
  readonly tree: RootTree;
  readonly root: RootLog;
  readonly metrics: RootMetrics;
  /** The verifier key of the root log. */
  readonly keyText: string;
}

const notFound: Page = { status: 404, body: 'the root log has no page at this path\n' };

/**
 * The root log as files (C2SP tlog-tiles): `/log/checkpoint`, `/log/key`, `/log/tile/…`, and `/log/shards/<number>` with the index of the
 * newest entry of a shard. `/metrics` for operators. All other requests go to the pages of the witness, unless the log is suspended.
 */
export function rootPages(
  { tree, root, metrics, keyText }: RootPagesServices,
  witness: RequestListener,
  log: Pick<Logger, 'error'>,
): RequestListener {
  async function page(path: string): Promise<Page> {
    if (path === METRICS) return { status: 200, type: metrics.contentType, body: await metrics.expose() };
    const name = path.slice(PREFIX.length);
    if (name === 'checkpoint') return { status: 200, body: root.shown().checkpoint };
    if (name === 'key') return { status: 200, body: `${keyText}\n` };
    const [, shard] = SHARD.exec(name) ?? [];
    if (shard === undefined) return tilePage(tree, name);
    const { size, checkpoint } = root.shown();
    const index = root.newest(Number(shard), size);
    if (index === undefined) return { status: 404, body: 'the root log has no entry of this shard yet\n' };
    return { status: 200, type: 'application/json', body: JSON.stringify({ index, checkpoint }) };
  }

  return (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (path !== METRICS && !path.startsWith(PREFIX)) {
      const error = root.error();
      // SECURITY: D570: an older copy of this directory must not cosign another history of a shard.
      if (error === undefined || path === '/healthz' || path === '/key') witness(request, response);
      else send(request, response, { status: 503, body: `the root log is suspended: ${error.message}\n` });
      return;
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    (isRead ? page(path) : Promise.resolve<Page>({ status: 405, body: 'use GET\n' })).then(
      (found) => send(request, response, found),
      (error: unknown) => {
        log.error({ err: error }, 'a request could not be answered');
        send(request, response, { status: 500, body: 'the root log cannot answer now\n' });
      },
    );
  };
}

async function tilePage({ files, published }: RootTree, name: string): Promise<Page> {
  try {
    const { level, index, width } = parseTilePath(name);
    const covers = (index * TILE_WIDTH + width) * TILE_WIDTH ** (level === 'entries' ? 0 : level);
    // Only what a checkpoint covers: the rest may still change.
    if (covers > published.size) return notFound;
    const body =
      level === 'entries' ? formatEntryBundle(await files.entries(index, width)) : await files.hashes({ level, index, width });
    return { status: 200, type: 'application/octet-stream', body, cache: FOREVER };
  } catch (error) {
    if (error instanceof TlogError) return notFound;
    throw error;
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, type = 'text/plain; charset=utf-8', cache = 'no-store' }: Page,
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
    'Cache-Control': cache,
    ...(!request.complete && { Connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
