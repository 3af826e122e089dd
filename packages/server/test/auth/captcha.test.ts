import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { openCaptcha } from '../../src/auth/captcha.ts';

/** A provider that accepts tokens with the prefix `good`. */
const asked: Record<string, string>[] = [];
const provider = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    const fields = Object.fromEntries(new URLSearchParams(text));
    asked.push(fields);
    if (fields.response === 'good-broken') return void response.writeHead(500).end('no JSON');
    if (fields.response === 'good-moved') return void response.writeHead(302, { location: '/other' }).end();
    response.end(JSON.stringify({ success: fields.response?.startsWith('good') ?? false }));
  });
});
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
afterAll(() => provider.close());

const log = { warn: vi.fn() };
const captchaVerifyUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/siteverify`;
const settings = { captchaVerifyUrl, captchaSecret: 'secret', captchaSiteKey: 'site' };

test('the provider decides, with the secret and the address of the client', async () => {
  const captcha = openCaptcha(settings, log);
  await captcha.require('good-1', '203.0.113.7');
  expect(asked.at(-1)).toEqual({ secret: 'secret', response: 'good-1', remoteip: '203.0.113.7' });
  await expect(captcha.require('bad', undefined)).rejects.toMatchObject({ code: 'CAPTCHA_INVALID' });
  for (const token of [undefined, '', 'x'.repeat(5000)])
    await expect(captcha.require(token, undefined)).rejects.toMatchObject({ code: 'CAPTCHA_INVALID' });
});

test('D848: an answer counts once, also while the provider is asked', async () => {
  const captcha = openCaptcha(settings, log);
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => captcha.require('good-2', undefined)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(captcha.require('good-2', undefined)).rejects.toThrow('was used before');
});

test('D848: answers are forgotten after the provider has forgotten them', async () => {
  let nowMs = 0;
  const captcha = openCaptcha(settings, log, () => nowMs);
  await captcha.require('good-3', undefined);
  nowMs = 14 * 60_000;
  await expect(captcha.require('good-3', undefined)).rejects.toThrow('was used before');
  nowMs = 16 * 60_000;
  await captcha.require('good-3', undefined);
});

test('D848: without a usable response of the provider, the request is rejected', async () => {
  const captcha = openCaptcha(settings, log);
  for (const token of ['good-broken', 'good-moved'])
    await expect(captcha.require(token, undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const none = openCaptcha({}, log);
  await expect(none.require('good', undefined)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});
