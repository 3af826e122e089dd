import { formatEntryBundle, parseTilePath, TILE_WIDTH, type Tile, TlogError, tilePath } from '@countersign/tlog';
import type { InstallationLog } from '../../log/installation-log.ts';
import { storedTiles } from '../../log/tree.ts';
import type { Store } from '../../store/store.ts';
import type { AnswerPage, Page } from './page.ts';

const PREFIX = '/log/';
const HASH_BYTES = 32;

/** The bytes at the path of a tile never change, because a narrower tile has another path. */
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const text = (body: string, maxAgeSeconds: number): Page => ({
  status: 200,
  contentType: 'text/plain; charset=utf-8',
  body,
  headers: { 'Cache-Control': `public, max-age=${maxAgeSeconds}` },
});

const notFound: Page = { status: 404, contentType: 'text/plain; charset=utf-8', body: 'the log has no page at this path\n' };

/**
 * The log as files (C2SP tlog-tiles): `/log/checkpoint`, `/log/key`, `/log/tile/<level>/<index>[.p/<width>]` and
 * `/log/tile/entries/<index>[.p/<width>]`. Entries are salted commitments: they reveal nothing without the openings.
 * Nothing here is trusted by who reads it: a client checks all of it against the signed checkpoint.
 */
export function logPages(store: Store['log'], log: InstallationLog): (path: string) => AnswerPage | undefined {
  return (path) => {
    if (!path.startsWith(PREFIX)) return undefined;
    const name = path.slice(PREFIX.length);
    return async () => {
      if (name === 'checkpoint') return text(log.shown().checkpoint, 1);
      if (name === 'key') return text(`${log.keyText()}\n`, 3600);
      return tilePage(store, log, name);
    };
  };
}

async function tilePage(store: Store['log'], log: InstallationLog, name: string): Promise<Page> {
  try {
    const { level, index, width } = parseTilePath(name);
    const tile: Tile = { level: level === 'entries' ? 0 : level, index, width };
    const covers = (index * TILE_WIDTH + width) * TILE_WIDTH ** tile.level;
    // Another process may have signed a larger tree already.
    if (covers > log.published().size) await log.lookAgain();
    // Serve only entries that a checkpoint covers: others may still change.
    if (covers > log.published().size) return notFound;
    const body = level === 'entries' ? await entries(store, tile) : await hashes(store, tile);
    return { status: 200, contentType: 'application/octet-stream', body, headers: FOREVER };
  } catch (error) {
    // Not the path of a tile, or a tile that is gone. `doctor` and every reader of the log find the latter.
    if (error instanceof TlogError) return notFound;
    throw error;
  }
}

async function hashes(store: Store['log'], tile: Tile): Promise<Uint8Array> {
  const [bytes] = await storedTiles(store)([tile]);
  if (bytes?.length !== tile.width * HASH_BYTES) throw new TlogError(`${tilePath(tile)} is incomplete`);
  return bytes;
}

async function entries(store: Store['log'], { index, width }: Tile): Promise<Uint8Array> {
  const leaves = await store.leaves(index * TILE_WIDTH, index * TILE_WIDTH + width);
  if (leaves.length !== width) throw new TlogError('an entry is missing');
  return formatEntryBundle(leaves.map(({ commitment }) => commitment));
}
