import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  appendLeaves,
  emptyFrontier,
  formatAddCheckpoint,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  frontierRoot,
  leafHash,
  type SignerKey,
  signNote,
  verifierKeyOf,
} from '@countersign/tlog';
import { onTestFinished } from 'vitest';

const hashesOf = (leaves: readonly string[]) => leaves.map((leaf) => leafHash(new Uint8Array(Buffer.from(leaf))));

/** The log of a shard that a test signs. It can have any history, with few leaves. */
export class ForgedLog {
  readonly #key: SignerKey;
  readonly keyText: string;
  /** The leaves that its pages show. */
  shown: readonly string[] = [];

  constructor(name = 'forged.example', seed = 5) {
    this.#key = { name, type: 'ed25519', seed: new Uint8Array(32).fill(seed) };
    this.keyText = formatVerifierKey(verifierKeyOf(this.#key));
  }

  /** The signed checkpoint of a tree with one leaf for each text. */
  checkpoint(leaves: readonly string[]): string {
    const root = frontierRoot(appendLeaves(emptyFrontier, hashesOf(leaves)).frontier);
    const text = formatCheckpoint({ origin: this.#key.name, size: leaves.length, root, extensions: [] });
    return formatNote({ text, signatures: [signNote(text, this.#key)] });
  }

  /** Sends a tree to a witness. It extends a tree of one leaf if the proof is right. */
  async send(url: string, oldSize: number, leaves: readonly string[]): Promise<Response> {
    const proof = oldSize === 1 && leaves.length === 2 ? [hashesOf(leaves)[1] as Uint8Array] : [];
    const checkpoint = this.checkpoint(leaves);
    return fetch(`${url}/add-checkpoint`, { method: 'POST', body: formatAddCheckpoint({ oldSize, proof, checkpoint }) });
  }

  /** Serves the pages of what is shown, until the test ends. */
  async serve(): Promise<string> {
    const server = createServer((request, response) => {
      const [, width] = /^\/log\/tile\/0\/000\.p\/(\d+)$/.exec(request.url ?? '') ?? [];
      const page = request.url === '/log/checkpoint' ? this.checkpoint(this.shown) : this.#tile(Number(width));
      response.writeHead(page === undefined ? 404 : 200).end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** The first hashes of the only tile. */
  #tile(width: number): Buffer | undefined {
    return width <= this.shown.length ? Buffer.concat(hashesOf(this.shown).slice(0, width)) : undefined;
  }
}
