import type { IncomingMessage } from 'node:http';
import type { FrameWriter } from './frames.ts';
import { fromEdge, MAX_BODY_PART, requestText } from './protocol.ts';

/**
 * Sends a request to the core: in one frame if its body has arrived with its head, as that of most requests has. Otherwise the head goes
 * first, so that the core can refuse it, and the parts of the body follow, each after the core took the last.
 */
export class ForwardedBody {
  readonly #writer: FrameWriter;
  readonly #id: number;
  readonly #connectionId: number;
  readonly #request: IncomingMessage;
  #parts: Buffer[] = [];
  #length = 0;
  #isBegun = false;
  #isEnded = false;
  /** Whether the core has a part that it did not take yet. */
  #isWaiting = false;
  #isStopped = false;

  constructor(writer: FrameWriter, id: number, connectionId: number, request: IncomingMessage) {
    this.#writer = writer;
    this.#id = id;
    this.#connectionId = connectionId;
    this.#request = request;
    request.on('data', (part: Buffer) => this.#add(part));
    request.on('end', () => {
      this.#isEnded = true;
      this.#send();
    });
    setImmediate(() => {
      if (!this.#isBegun) this.#send();
    });
  }

  /** The core took the last part. */
  taken(): void {
    this.#isWaiting = false;
    this.#send();
  }

  /** Sends and reads no more: the request was answered, or its connection is gone. */
  stop(): void {
    this.#isStopped = true;
    this.#parts = [];
    this.#length = 0;
    if (!this.#isEnded) this.#request.pause();
  }

  #add(part: Buffer): void {
    if (this.#isStopped) return;
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#isBegun || this.#length >= MAX_BODY_PART) this.#send();
    if (this.#length >= MAX_BODY_PART) this.#request.pause();
  }

  #send(): void {
    if (this.#isStopped || this.#isWaiting) return;
    const bytes = this.#nextPart();
    const isComplete = this.#isEnded && this.#length === 0;
    if (!this.#isBegun) {
      this.#isBegun = true;
      const { method = '', url = '', headers } = this.#request;
      const head = { connectionId: this.#connectionId, isComplete, method, url, headers };
      this.#writer.write(fromEdge.request, this.#id, requestText(head), bytes);
    } else {
      if (bytes.length > 0) this.#writer.write(fromEdge.body, this.#id, '', bytes);
      if (isComplete) this.#writer.write(fromEdge.bodyEnd, this.#id);
    }
    if (isComplete) this.#isStopped = true;
    else if (bytes.length > 0) this.#isWaiting = true;
    if (!this.#isEnded && this.#length < MAX_BODY_PART) this.#request.resume();
  }

  /** Takes up to one part out of what has arrived. */
  #nextPart(): Buffer {
    const all = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    const part = all.subarray(0, MAX_BODY_PART);
    const rest = all.subarray(MAX_BODY_PART);
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return part;
  }
}
