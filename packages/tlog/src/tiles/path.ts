import { TlogError } from '../errors.ts';
import { type EntryBundle, MAX_TILE_LEVEL, requireTile, TILE_WIDTH, type Tile } from './tile.ts';

// tile/<L>/<N>[.p/<W>], where <N> is x001/x234/067: at most six groups hold an index up to 2^53 - 1.
const PATH = /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** The path of a tile or an entry bundle below the prefix of the log (C2SP tlog-tiles, "Merkle Tree" and "Log entries"). */
export function tilePath(tile: Tile | EntryBundle): string {
  requireTile(tile);
  const suffix = tile.width === TILE_WIDTH ? '' : `.p/${tile.width}`;
  return `tile/${tile.level}/${indexPath(tile.index)}${suffix}`;
}

/** The index in groups of three digits, where every group but the last begins with x. */
function indexPath(index: number): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/[0-9]{3}/g) ?? [];
  return groups.map((group, position) => (position < groups.length - 1 ? `x${group}` : group)).join('/');
}

/** Reads a path that `tilePath` writes. Throws TlogError for any other text, so that a tile has one path. */
export function parseTilePath(path: string): Tile | EntryBundle {
  const [, level = '', index = '', width] = PATH.exec(path) ?? refuse();
  // A first group of zeros would be a second spelling of the same index.
  if (index.startsWith('x000')) refuse();
  const position = { index: Number(index.replace(/[x/]/g, '')), width: width === undefined ? TILE_WIDTH : Number(width) };
  if (!Number.isSafeInteger(position.index) || (width !== undefined && position.width >= TILE_WIDTH)) refuse();
  if (level === 'entries') return { level, ...position };
  if (Number(level) > MAX_TILE_LEVEL) refuse();
  return { level: Number(level), ...position };
}

function refuse(): never {
  throw new TlogError('this is not the path of a tile or of an entry bundle');
}
