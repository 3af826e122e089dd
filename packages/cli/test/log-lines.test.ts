import { describe, expect, test } from 'vitest';
import { deliveryLine, requestLine } from '../src/dev/log-lines.ts';

const plain = (_: string, text: string) => text;
const options = { columns: 100, paint: plain, nameOf: () => undefined };
const seen = { method: 'POST', path: '/public/v1/query/whoami', status: 401, ms: 1 };
// Clears the screen, sets the title, reverses the line, and breaks it.
const hostile = ['\u001b[2J\u001b[H', '\u001b]0;x\u0007', '\u202e123', '\n\r'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const obeyed = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('log lines', () => {
  test.each(hostile)('D210: escapes control characters of a caller: %j', (text) => {
    const line = requestLine({ ...seen, publicKey: text, path: `/${text}`, decision: text, message: text }, options);
    expect(line).not.toMatch(obeyed);
    const event = { id: text, payload: {} } as Parameters<typeof deliveryLine>[0]['event'];
    expect(deliveryLine({ event, type: text, status: text, headers: {}, body: '' }, plain)).not.toMatch(obeyed);
  });

  test('shows an unknown key by its first digits', () => {
    expect(requestLine({ ...seen, publicKey: `02${'ab'.repeat(32)}` }, options)).toContain('02abababab…');
  });
});
