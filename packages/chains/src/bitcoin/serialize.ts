import type { Hash } from '../transaction.ts';

/** An output, spent or created. */
export interface Output {
  readonly amount: bigint;
  readonly script: Uint8Array;
}

/** A transaction without witnesses: the form that its id hashes. */
export interface UnsignedTransaction {
  readonly version: number;
  readonly inputs: readonly {
    /** In display order, the reverse of the order in which it is hashed and sent. */
    readonly txid: Uint8Array;
    readonly index: number;
    readonly finalScriptSig: Uint8Array;
    readonly sequence: number;
  }[];
  readonly outputs: readonly Output[];
  readonly lockTime: number;
}

/** Writes numbers and bytes into one buffer that grows. Numbers are little-endian, as everywhere in Bitcoin. */
export class ByteWriter {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Negative numbers (versions below zero) are in two's complement. */
  uint32(value: number): this {
    this.#reserve(4);
    this.#view.setUint32(this.#length - 4, value, true);
    return this;
  }

  uint64(value: bigint): this {
    this.#reserve(8);
    this.#view.setBigUint64(this.#length - 8, value, true);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length - bytes.length);
    return this;
  }

  /** A CompactSize: one byte, or a marker and two or four bytes. Requests are too small for larger numbers. */
  compactSize(value: number): this {
    if (value < 0xfd) {
      this.#reserve(1);
      this.#bytes[this.#length - 1] = value;
    } else if (value <= 0xffff) {
      this.#reserve(3);
      this.#bytes[this.#length - 3] = 0xfd;
      this.#view.setUint16(this.#length - 2, value, true);
    } else {
      this.#reserve(1);
      this.#bytes[this.#length - 1] = 0xfe;
      this.uint32(value);
    }
    return this;
  }

  /** Bytes after their length. */
  sized(bytes: Uint8Array): this {
    return this.compactSize(bytes.length).bytes(bytes);
  }

  outpoint(txid: Uint8Array, index: number): this {
    this.#reserve(32);
    for (let at = 0, end = this.#length - 1; at < 32; at++) this.#bytes[end - at] = txid[at] as number;
    return this.uint32(index);
  }

  outputs(outputs: readonly Output[]): this {
    for (const { amount, script } of outputs) this.uint64(amount).sized(script);
    return this;
  }

  transaction({ version, inputs, outputs, lockTime }: UnsignedTransaction): this {
    this.uint32(version).compactSize(inputs.length);
    for (const { txid, index, finalScriptSig, sequence } of inputs) {
      this.outpoint(txid, index).sized(finalScriptSig).uint32(sequence);
    }
    return this.compactSize(outputs.length).outputs(outputs).uint32(lockTime);
  }

  /** What was written. Writing on does not change it. */
  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** The hash of what was written. The writer is then empty again. */
  hashAndReset(hash: Hash): Uint8Array {
    const digest = hash(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return digest;
  }

  #reserve(count: number): void {
    this.#length += count;
    if (this.#length <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * this.#length);
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
