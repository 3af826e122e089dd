import type { Socket } from 'node:net';

/**
 * A message between core and edge: its kind, the id of what it is about, a text and bytes. On the pipe: the length of the rest (4 bytes), the
 * kind (1), the id (4), the length of the text (4), the text in UTF-8, the bytes. Numbers are big-endian.
 */
export interface Frame<Kind extends number = number> {
  readonly kind: Kind;
  readonly id: number;
  readonly text: string;
  readonly bytes: Buffer;
}

/** The other side sent something that the protocol does not allow. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const PREFIX = 4;
const HEADER = 13;
/** Shorter bytes are copied behind their header, so that they take one buffer. */
const COPIED = 16_384;
const NOTHING = Buffer.alloc(0);

/** Splits what arrives into frames. `maxLength` bounds a frame, without its first four bytes. */
export class FrameReader {
  readonly #maxLength: number;
  readonly #take: (frame: Frame) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #wanted = HEADER;

  constructor(maxLength: number, take: (frame: Frame) => void) {
    this.#maxLength = maxLength;
    this.#take = take;
  }

  /** Throws ProtocolError, after which nothing more may be read. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    while (rest.length >= HEADER) {
      const length = rest.readUInt32BE(0);
      if (length < HEADER - PREFIX || length > this.#maxLength) throw new ProtocolError(`a frame of ${length} bytes`);
      const end = PREFIX + length;
      if (rest.length < end) {
        this.#keep(rest, end);
        return;
      }
      this.#take(readFrame(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
    this.#keep(rest, HEADER);
  }

  /** INVARIANT: the bytes of a long frame are joined once, when all of them have arrived. */
  #keep(rest: Buffer, wanted: number): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    this.#wanted = wanted;
  }
}

function readFrame(frame: Buffer): Frame {
  const textEnd = HEADER + frame.readUInt32BE(9);
  if (textEnd > frame.length) throw new ProtocolError('a text that is longer than its frame');
  return {
    kind: frame.readUInt8(4),
    id: frame.readUInt32BE(5),
    text: frame.toString('utf8', HEADER, textEnd),
    bytes: frame.subarray(textEnd),
  };
}

/** Writes frames to a pipe. Those of one turn of the event loop are written together. */
export class FrameWriter {
  readonly #pipe: Socket;
  #isCorked = false;

  constructor(pipe: Socket) {
    this.#pipe = pipe;
  }

  /** `written` is called when the operating system has the frame, or the pipe is closed. */
  write(kind: number, id: number, text = '', bytes: string | Uint8Array = NOTHING, written?: () => void): void {
    const pipe = this.#pipe;
    if (!pipe.writable) {
      written?.();
      return;
    }
    if (!this.#isCorked) {
      this.#isCorked = true;
      pipe.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        pipe.uncork();
      });
    }
    const textLength = Buffer.byteLength(text);
    const length = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    const isCopied = length <= COPIED;
    const header = Buffer.allocUnsafe(HEADER + textLength + (isCopied ? length : 0));
    header.writeUInt32BE(HEADER - PREFIX + textLength + length, 0);
    header.writeUInt8(kind, 4);
    header.writeUInt32BE(id, 5);
    header.writeUInt32BE(textLength, 9);
    header.write(text, HEADER, 'utf8');
    if (isCopied) {
      if (typeof bytes === 'string') header.write(bytes, HEADER + textLength, 'utf8');
      else header.set(bytes, HEADER + textLength);
      pipe.write(header, written);
    } else {
      pipe.write(header);
      pipe.write(bytes, written);
    }
  }
}
