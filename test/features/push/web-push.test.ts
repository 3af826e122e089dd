import fc from 'fast-check';
import { expect, test } from 'vitest';
import webPush from 'web-push';
import { encryptPush } from '../../../packages/server/src/notify/push/encrypt.ts';
import { createPushChannel } from '../../../packages/server/src/notify/push/push-channel.ts';
import { createVapid } from '../../../packages/server/src/notify/push/vapid.ts';
import { readVapid, TestBrowser } from '../../../packages/server/test/notify/push/browser.ts';
import { Installation } from '../../../packages/server/test/vault/support.ts';

const endpoint = 'https://push.example.net/wpush/v2/abc';
const { publicKey, privateKey } = webPush.generateVAPIDKeys();

test('a browser decrypts messages of web-push and of this service', () => {
  const browser = new TestBrowser();
  const keys = { p256dh: browser.publicKey, auth: browser.auth };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (given) => {
      const text = Buffer.from(given).toString();
      const theirs = webPush.encrypt(browser.keys.p256dh, browser.keys.auth, text, 'aes128gcm').cipherText;
      expect(browser.decrypt(theirs)).toBe(text);
      // Without padding, both write as much.
      const ours = encryptPush(Buffer.from(text), keys, undefined, 0);
      expect(browser.decrypt(ours)).toBe(text);
      expect(ours.length).toBe(theirs.length);
      expect(ours.subarray(16, 22).equals(theirs.subarray(16, 22))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('a request has the headers and token claims of web-push', async () => {
  const browser = new TestBrowser();
  const { service } = await (await Installation.create()).open();
  const sent: { url: URL; headers: Readonly<Record<string, string>>; body: string | Uint8Array }[] = [];
  const record = { userId: 'u', subscribedWith: 'k', name: 'n', endpoint, ...browser.keys, createdAtMs: 0, updatedAtMs: 0 };
  const apiKeys = new Map([['k', { userId: 'u', createdAtMs: 0 }]]);
  const organization = { records: { pushSubscription: new Map([['s', record]]) }, apiKeys };
  const channel = createPushChannel({
    snapshots: { current: async () => organization as never },
    poster: { post: async (url, headers, body) => void sent.push({ url, headers, body }), close: () => {} },
    vapid: createVapid(service, 'mailto:push@example.com'),
    clock: { nowMs: () => Date.now() },
    remove: async () => {},
  });
  const approvals = { organizationId: 'o', items: [{ activityId: 'a', sentence: 'Ann asks' }], more: 0 };
  expect(await channel.send({ organizationId: 'o', subscriptionId: 's', approvals })).toBe('sent');
  const [ours] = sent as [(typeof sent)[number]];
  expect(JSON.parse(browser.decrypt(Buffer.from(ours.body)))).toEqual({
    organizationId: 'o',
    activityId: 'a',
    more: 0,
    sentence: 'Ann asks',
  });

  const theirs = webPush.generateRequestDetails({ endpoint, keys: browser.keys }, 'Ann asks', {
    vapidDetails: { subject: 'mailto:push@example.com', publicKey, privateKey },
    TTL: 86_400,
    urgency: 'high',
    topic: ours.headers.topic ?? '',
  });
  const named = Object.fromEntries(Object.entries(theirs.headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const { authorization, 'content-length': _, ...rest } = named;
  expect(ours.url.href).toBe(theirs.endpoint);
  expect({ ...ours.headers, authorization: '' }).toEqual({ ...rest, authorization: '' });
  const [ourClaims, theirClaims] = [readVapid(ours.headers.authorization ?? ''), readVapid(authorization ?? '')].map(
    ({ claims }) => ({ ...claims, exp: typeof claims.exp }),
  );
  expect(ourClaims).toEqual(theirClaims);
});
