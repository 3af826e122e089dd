import {
  ed25519Verifier,
  openCheckpoint,
  parseEntryBundle,
  parseOpening,
  parseVerifierKey,
  type Tile,
  tilePath,
  verifiedTileReader,
} from '@countersign/tlog';
import type { Json } from '../../support/caller.ts';

/** A reader of the public pages of a log, who knows its address and nothing else. */
export class LogClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async page(path: string): Promise<Response> {
    return fetch(`${this.url}/log/${path}`);
  }

  async bytes(path: string): Promise<Uint8Array> {
    const response = await this.page(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The key of the log and the name in it. */
  async key() {
    return parseVerifierKey((await (await this.page('key')).text()).trimEnd());
  }

  /** The signed tree, after its signature was checked. */
  async checkpoint(note?: string) {
    const key = await this.key();
    return openCheckpoint(note ?? (await (await this.page('checkpoint')).text()), key.name, [ed25519Verifier(key)]);
  }

  /** A reader of hashes that believes only what the root commits to. */
  reader({ size, root }: { readonly size: number; readonly root: Uint8Array }) {
    return verifiedTileReader(size, root, (tiles: readonly Tile[]) =>
      Promise.all(tiles.map((tile) => this.bytes(tilePath(tile)))),
    );
  }

  /** The data of the leaves of one bundle. */
  async entries(index: number, width: number): Promise<readonly Uint8Array[]> {
    return parseEntryBundle(await this.bytes(tilePath({ level: 'entries', index, width })), width);
  }
}

export const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

/** A leaf as queries give it. */
export function openedLeaf({ opening, salt }: Json) {
  return { opening: parseOpening(new Uint8Array(Buffer.from(opening))), salt: fromHex(salt) };
}
