import { expect, test } from 'vitest';
import { createRequestLog, requestIds } from '../../../src/http/api/request-log.ts';

test('D557: a flood of strangers leaves fifty lines and a count each second, and users keep all of theirs', () => {
  const lines: { fields: Record<string, unknown>; text: string }[] = [];
  let nowMs = 0;
  const info = ((fields: Record<string, unknown>, text: string) => lines.push({ fields, text })) as never;
  const write = createRequestLog({ info }, () => nowMs);
  const request = (credentialId?: string) =>
    write({
      ids: requestIds({}),
      operation: 'query/whoami',
      status: 401,
      milliseconds: 1,
      address: '192.0.2.1',
      facts: credentialId === undefined ? {} : { credentialId },
    });
  for (let count = 0; count < 1_000; count++) request();
  expect(lines).toHaveLength(50);
  for (let count = 0; count < 100; count++) request('known');
  expect(lines).toHaveLength(150);
  nowMs = 1_000;
  request();
  const [counted, last] = lines.slice(150);
  expect(counted).toEqual({ fields: { requests: 950 }, text: 'requests without a proven credential, not listed' });
  expect(last?.text).toBe('request');
});
