import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Frame, FrameReader, FrameWriter, ProtocolError } from '../../src/isolation/frames.ts';
import { readRequestText, readResponseText, requestText, responseText } from '../../src/isolation/protocol.ts';

/** The bytes of frames, as they are on a pipe. */
async function written(write: (writer: FrameWriter) => void): Promise<Buffer> {
  const pipe = new PassThrough({ highWaterMark: 10_000_000 });
  write(new FrameWriter(pipe as unknown as Socket));
  await new Promise((resolve) => setImmediate(resolve));
  return pipe.read() as Buffer;
}

/** Frames with their bytes as text, which is faster to compare. */
function read(chunks: readonly Buffer[], maxLength = 1_000_000) {
  const frames: (Omit<Frame, 'bytes'> & { readonly bytes: string })[] = [];
  const reader = new FrameReader(maxLength, ({ bytes, ...frame }) => frames.push({ ...frame, bytes: bytes.toString('latin1') }));
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

describe('frames', () => {
  test('arrive as they were written, however the pipe splits them', async () => {
    const long = Buffer.alloc(20_000, 'x');
    const bytes = await written((writer) => {
      writer.write(3, 4_294_967_295, 'text with é and \u0000', 'a body');
      writer.write(1, 0);
      writer.write(4, 7, '', long);
    });
    const expected = [
      { kind: 3, id: 4_294_967_295, text: 'text with é and \u0000', bytes: 'a body' },
      { kind: 1, id: 0, text: '', bytes: '' },
      { kind: 4, id: 7, text: '', bytes: long.toString('latin1') },
    ];
    expect(read([bytes])).toEqual(expected);
    for (const size of [1, 7, 13, 4_096]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(read(chunks)).toEqual(expected);
    }
  });

  test('D585: lengths that contradict each other are rejected before memory is taken', () => {
    const frame = (length: number, textLength: number) => {
      const bytes = Buffer.alloc(13);
      bytes.writeUInt32BE(length, 0);
      bytes.writeUInt32BE(textLength, 9);
      return bytes;
    };
    expect(() => read([frame(8, 0)])).toThrow(ProtocolError);
    expect(() => read([frame(1_000_001, 0)])).toThrow(ProtocolError);
    expect(() => read([frame(9, 1)])).toThrow(ProtocolError);
    expect(read([frame(9, 0)])).toHaveLength(1);
  });
});

describe('heads', () => {
  test('of requests and responses arrive as they were', () => {
    const request = {
      connectionId: 3,
      isComplete: true,
      method: 'POST',
      url: '/a?b',
      headers: { host: 'h', 'x-stamp': 'a, b', empty: '' },
    };
    expect(readRequestText(requestText(request))).toEqual(request);
    const response = { status: 200, holder: '', headers: { 'Content-Length': '3', ETag: '"a"' } };
    expect(readResponseText(responseText(response))).toEqual(response);
  });

  test('D585: a header named like a part of objects is only a header', () => {
    const { headers } = readRequestText('1\n1\nGET\n/\n__proto__\nx\nconstructor\ny');
    expect(Object.getPrototypeOf(headers)).toBe(null);
    expect({ ...headers }.constructor).toBe('y');
  });

  test('D585: a request without its parts, and a response header with a line break, are rejected', () => {
    for (const text of ['', '1\n1\nGET', '1\n1\nGET\n/\nname']) expect(() => readRequestText(text)).toThrow(ProtocolError);
    expect(() => responseText({ status: 200, holder: '', headers: { a: 'b\nc' } })).toThrow('line break');
  });
});
