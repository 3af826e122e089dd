import {
  consistencyProof,
  formatAddCheckpoint,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  frontierRoot,
  type SignerKey,
  signNote,
  verifierKeyOf,
} from '@countersign/tlog';
import { MemoryLog } from '../../../tlog/test/support/memory-log.ts';

/** A log of numbered entries. With another `branch`, those from `forkAt` on are other ones: a log with two histories. */
export class MadeLog {
  readonly key: SignerKey;
  readonly branch: string;
  readonly forkAt: number;

  constructor(origin = 'example.com/log', branch = 'a', forkAt = 0, seed = 1) {
    this.key = { name: origin, type: 'ed25519', seed: new Uint8Array(32).fill(seed) };
    this.branch = branch;
    this.forkAt = forkAt;
  }

  get keyText(): string {
    return formatVerifierKey(verifierKeyOf(this.key));
  }

  private tree(size: number): MemoryLog {
    const entry = (index: number) => `${index < this.forkAt ? 'a' : this.branch} ${index}`;
    return new MemoryLog().append(Array.from({ length: size }, (_, index) => Buffer.from(entry(index))));
  }

  root(size: number): Uint8Array {
    return frontierRoot(this.tree(size).frontier);
  }

  checkpoint(size: number, key = this.key): string {
    const text = formatCheckpoint({ origin: this.key.name, size, root: this.root(size), extensions: [] });
    return formatNote({ text, signatures: [signNote(text, key)] });
  }

  async request(oldSize: number, size: number, change: { proof?: readonly Uint8Array[]; checkpoint?: string } = {}) {
    const proof = change.proof ?? (oldSize > size ? [] : await consistencyProof(oldSize, size, this.tree(size)));
    return formatAddCheckpoint({ oldSize, proof, checkpoint: change.checkpoint ?? this.checkpoint(size) });
  }
}
