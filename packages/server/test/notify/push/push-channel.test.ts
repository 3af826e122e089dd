import { expect, test } from 'vitest';
import { createPushChannel, type PushServices } from '../../../src/notify/push/push-channel.ts';
import { createPoster, type Poster } from '../../../src/notify/webhooks/post-event.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from '../../../src/organizations/records.ts';
import { egressAllowlistIn } from '../webhooks/names.ts';
import { TestBrowser } from './browser.ts';

const NOW_MS = 1_000_000;
const key = { userId: 'ann', createdAtMs: NOW_MS - 5_000 } as ApiKeyRecord;
const passkey = { userId: 'ann' } as AuthenticatorRecord;

/** A channel to two browsers of Ann, who subscribed them with a credential `own`, in an organization with these credentials. */
function channelTo(
  endpoint: string,
  credentials: { readonly apiKeys?: Record<string, ApiKeyRecord>; readonly authenticators?: Record<string, AuthenticatorRecord> },
  poster: Poster,
) {
  const subscription = { userId: 'ann', subscribedWith: 'own', endpoint, ...new TestBrowser().keys };
  const organization = {
    records: { pushSubscription: new Map(['phone', 'desk'].map((id) => [id, subscription])) },
    apiKeys: new Map(Object.entries(credentials.apiKeys ?? {})),
    authenticators: new Map(Object.entries(credentials.authenticators ?? {})),
  };
  const { send } = createPushChannel({
    snapshots: { current: async () => organization },
    poster,
    vapid: async () => 'vapid t=, k=',
    clock: { nowMs: () => NOW_MS },
    remove: async () => {},
  } as unknown as PushServices);
  const approvals = { organizationId: 'org', items: [], more: 0 };
  return (subscriptionId = 'phone') => send({ organizationId: 'org', subscriptionId, approvals });
}

test.each([
  ['its API key', { apiKeys: { own: key } }, 'sent'],
  ['its passkey', { authenticators: { own: passkey } }, 'sent'],
  ['an API key that expires later', { apiKeys: { own: { ...key, expirationSeconds: '6' } } }, 'sent'],
  ['an API key that has expired', { apiKeys: { own: { ...key, expirationSeconds: '5' } } }, 'gone'],
  ['another API key alone', { apiKeys: { other: key } }, 'gone'],
  ['a credential that is somebody else’s by now', { authenticators: { own: { ...passkey, userId: 'eve' } } }, 'gone'],
  ['no credential', {}, 'gone'],
])('A88: a message to a browser whose user has %s', async (_, credentials, outcome) => {
  let posted = 0;
  const poster = {
    async post() {
      posted += 1;
    },
    close() {},
  };
  expect(await channelTo('https://push.example.com/ann', credentials, poster)()).toBe(outcome);
  expect(posted).toBe(outcome === 'sent' ? 1 : 0);
});

test('A84: a name that leads inside is found out when a message is sent', async () => {
  const egress = egressAllowlistIn([], { 'push.example.com': ['10.0.0.1'], 'localhost.': ['127.0.0.1'] });
  const poster = createPoster(egress);
  for (const host of ['push.example.com', 'localhost.']) {
    const send = channelTo(`https://${host}/ann`, { apiKeys: { own: key } }, poster);
    await expect(send()).rejects.toMatchObject({ name: 'DeliveryError', permanent: false });
    await expect(send()).rejects.toThrow('private address');
  }
  poster.close();
});

test('A90: the topic of a message stays the same for a browser, and is no other browser’s', async () => {
  const topics: (string | undefined)[] = [];
  const poster: Poster = {
    async post(_url, { topic }) {
      topics.push(topic);
    },
    close() {},
  };
  const send = channelTo('https://push.example.com/ann', { apiKeys: { own: key } }, poster);
  for (const browser of ['phone', 'phone', 'desk']) await send(browser);
  // RFC 8030 section 5.4: at most 32 characters of base64url.
  for (const topic of topics) expect(topic).toMatch(/^[\w-]{32}$/);
  expect(topics[1]).toBe(topics[0]);
  expect(topics[2]).not.toBe(topics[0]);
});
