import { STATUS_CODES } from 'node:http';
import type { WrittenJson } from '../wire/written-json.ts';

/** The answer to a plain request. */
export interface PlainAnswer {
  readonly status: number;
  readonly json: string | WrittenJson;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  /** To be called when the system has taken the answer, or the connection is gone. */
  readonly taken?: () => void;
}

/** Writes answers as node:http writes them: the same lines in the same order, but as one text where it is not written in parts. */
export interface AnswerWriter {
  /** The parts of the answer, one behind the other. `last`: the connection ends after it. */
  write(answer: PlainAnswer, last: boolean): readonly [Uint8Array, ...Uint8Array[]];
}

export function createAnswerWriter(keepAliveSeconds: number, nowMs: () => number = Date.now): AnswerWriter {
  const stays = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}`;
  let date = '';
  let dateUntilMs = 0;

  /** The header names a second (RFC 9110 section 6.6.1), so it is made once a second. */
  function dateLine(): string {
    const ms = nowMs();
    if (ms >= dateUntilMs || ms < dateUntilMs - 1000) {
      date = new Date(ms).toUTCString();
      dateUntilMs = ms - (ms % 1000) + 1000;
    }
    return date;
  }

  return {
    write({ status, json, retryAfter }, last) {
      const length = typeof json === 'string' ? Buffer.byteLength(json) : json.length;
      const retry = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
      const head =
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n` +
        `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n${retry}` +
        (last ? `Connection: close\r\nDate: ${dateLine()}\r\n\r\n` : `Date: ${dateLine()}\r\n${stays}\r\n\r\n`);
      if (typeof json !== 'string') return [Buffer.from(head, 'latin1'), ...json.parts];
      const bytes = Buffer.allocUnsafe(head.length + length);
      bytes.write(head, 0, 'latin1');
      bytes.write(json, head.length, 'utf8');
      return [bytes];
    },
  };
}
