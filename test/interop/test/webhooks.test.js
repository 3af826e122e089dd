import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyTurnkeyWebhookSignature } from '@turnkey/crypto';
import { startReceiver } from '../support/receiver.js';
import { nameFor, newSubOrganization, openWorld } from '../support/world.js';

const maxTimestampAgeMs = 60_000;

let world;
let receiver;
let verificationKeys;

before(async () => {
  [world, receiver] = await Promise.all([openWorld(), startReceiver()]);
  await world.client.createWebhookEndpoint({ url: receiver.url, name: nameFor('endpoint') });
  const response = await fetch(`${world.server.compatibleUrl}/public/v1/discovery/webhooks/jwks`);
  assert.match(response.headers.get('cache-control'), /max-age/);
  const { keys } = await response.json();
  verificationKeys = keys.map(({ kid, x }) => ({ keyId: kid, publicKey: Buffer.from(x, 'base64url').toString('hex') }));
});

after(async () => {
  receiver.close();
  await world.close();
});

const of = (activityId) => (delivery) => JSON.parse(delivery.body).id === activityId;

test('@turnkey/crypto verifies a delivery with the keys that the server publishes', async () => {
  const { activity } = await world.client.createPolicy({
    policyName: nameFor('policy'),
    effect: 'EFFECT_DENY',
    condition: "wallet.label == 'none'",
    notes: '',
  });
  const { headers, body } = await receiver.delivery(of(activity.id));
  const verified = verifyTurnkeyWebhookSignature({ headers, body, verificationKeys, maxTimestampAgeMs });
  assert.deepEqual(verified, {
    ok: true,
    eventId: headers['x-turnkey-event-id'],
    keyId: verificationKeys[0].keyId,
    timestampMs: Number(headers['x-turnkey-timestamp']),
  });
  assert.equal(headers['x-turnkey-organization-id'], world.organizationId);
  assert.equal(headers['x-turnkey-event-type'], 'ACTIVITY_UPDATES');
  assert.equal(headers['x-turnkey-webhook-version'], '1');
});

test('the delivery is the activity that the client reads', async () => {
  const { activity } = await world.client.createUserTag({ userTagName: nameFor('tag'), userIds: [] });
  const told = JSON.parse((await receiver.delivery(of(activity.id))).body);
  const { activity: read } = await world.client.getActivity({ activityId: activity.id });
  // Who decided is told to readers only: the names of policies do not leave with an event.
  assert.equal(read.authorization.decided.outcome, 'ALLOW');
  assert.deepEqual({ ...told, authorization: read.authorization }, read);
  assert.ok(!('authorization' in told));
});

test('a parent’s endpoint gets events of its sub-organizations', async () => {
  const { id, clients } = await newSubOrganization(world);
  const { activity } = await clients[0].createUserTag({ userTagName: nameFor('tag'), userIds: [] });
  const { headers } = await receiver.delivery(of(activity.id));
  assert.equal(headers['x-turnkey-organization-id'], id);
});

test('@turnkey/crypto refuses another body, another key and an old delivery', async () => {
  const { activity } = await world.client.createUserTag({ userTagName: nameFor('tag'), userIds: [] });
  const { headers, body } = await receiver.delivery(of(activity.id));
  const check = (own) => verifyTurnkeyWebhookSignature({ headers, body, verificationKeys, maxTimestampAgeMs, ...own }).reason;
  assert.equal(check({ body: `${body} ` }), 'invalid_signature');
  assert.equal(check({ verificationKeys: [] }), 'missing_key');
  assert.equal(check({ nowMs: Date.now() + 2 * maxTimestampAgeMs }), 'stale_timestamp');
});
