import { describe, expect, test } from 'vitest';
import { createVapid } from '../../../src/notify/push/vapid.ts';
import { Installation } from '../../vault/support.ts';
import { readVapid } from './browser.ts';

/** RFC 8292, section 2.4. */
const rfc8292 = {
  signed:
    'eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0',
  signature: 'i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA',
  key: 'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
};
const HOUR_MS = 3_600_000;

describe('tokens for push services', () => {
  test('are signed by the vault, for one service, for half a day', async () => {
    const { service } = await (await Installation.create()).open();
    const nowMs = Date.UTC(2026, 10, 16);
    const vapid = createVapid(service, 'https://keys.example.com');
    const { claims, key } = readVapid(await vapid(new URL('https://push.example.net/a/b?c'), nowMs));
    expect(claims).toEqual({
      aud: 'https://push.example.net',
      exp: (nowMs + 12 * HOUR_MS) / 1000,
      sub: 'https://keys.example.com',
    });
    expect(Buffer.from(key, 'base64url').toString('hex')).toBe(service.publicKeys.pushSender);
  });

  test('are used again for hours, and never at another service or after the clock went back', async () => {
    const { service } = await (await Installation.create()).open();
    const vapid = createVapid(service, undefined);
    const at = (url: string, ms: number) => vapid(new URL(url), ms);
    const first = await at('https://a.example/1', 10 * HOUR_MS);
    expect(await at('https://a.example/2', 15 * HOUR_MS)).toBe(first);
    expect(await at('https://a.example/2', 16 * HOUR_MS)).not.toBe(first);
    expect(await at('https://b.example/2', 10 * HOUR_MS)).not.toBe(first);
    const renewed = readVapid(await at('https://a.example/1', 9 * HOUR_MS));
    expect(renewed.claims).toEqual({ aud: 'https://a.example', exp: 21 * 3_600 });
  });

  test('have the form of the example of RFC 8292, and the reader of these tests takes that example', async () => {
    const { signed, signature, key } = rfc8292;
    const { claims } = readVapid(`vapid t=${signed}.${signature}, k=${key}`);
    expect(claims).toEqual({ aud: 'https://push.example.net', exp: 1453523768, sub: 'mailto:push@example.com' });
    const messages: string[] = [];
    const publicKeys = { pushSender: Buffer.from(key, 'base64url').toString('hex') } as never;
    const attest = async (_name: string, message: Uint8Array) => {
      messages.push(Buffer.from(message).toString('utf8'));
      return Buffer.from(signature, 'base64url');
    };
    const vapid = createVapid({ attest, publicKeys }, 'mailto:push@example.com');
    const header = await vapid(new URL('https://push.example.net/p/1'), 1453523768_000 - 12 * HOUR_MS);
    expect(messages).toEqual([signed]);
    expect(header).toBe(`vapid t=${signed}.${signature}, k=${key}`);
    expect(() => readVapid(header.replace('.i3CY', '.i3CZ'))).toThrow();
  });
});
