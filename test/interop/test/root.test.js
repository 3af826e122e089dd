import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { init, TurnkeyApi, TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { startServer } from '../support/start-server.js';

let server;

before(async () => {
  server = await startServer({ flags: ['--compat-root'] });
});

after(() => server.stop());

const keys = () => ({ apiPublicKey: server.credentials.apiPublicKey, apiPrivateKey: server.credentials.apiPrivateKey });

test('the compatible base URL has no path', () => {
  assert.equal(new URL(server.compatibleUrl).pathname, '/');
  assert.equal(new URL(server.url).pathname, '/spec');
});

test('a client that is given the host alone reads and writes', async () => {
  const { organizationId, userId } = server.credentials;
  const client = new TurnkeyClient({ baseUrl: server.compatibleUrl }, new ApiKeyStamper(keys()));
  assert.equal((await client.getWhoami({ organizationId })).userId, userId);
  const api = new Turnkey({ apiBaseUrl: server.compatibleUrl, defaultOrganizationId: organizationId, ...keys() }).apiClient();
  const { walletId } = await api.createWallet({ walletName: 'At the root', accounts: [] });
  assert.ok(walletId);
});

test('the older API, which drops every path of its base URL, works', async () => {
  const { organizationId, userId } = server.credentials;
  init({ ...keys(), baseUrl: `${server.compatibleUrl}/some/path` });
  assert.equal((await TurnkeyApi.getWhoami({ body: { organizationId } })).userId, userId);
});

test('a request without a content type, as clients in other languages send it, is taken', async () => {
  const { organizationId } = server.credentials;
  const body = JSON.stringify({ organizationId });
  const { stampHeaderName, stampHeaderValue } = await new ApiKeyStamper(keys()).stamp(body);
  const answer = await fetch(`${server.compatibleUrl}/public/v1/query/whoami`, {
    method: 'POST',
    headers: { [stampHeaderName]: stampHeaderValue },
    body: Buffer.from(body),
  });
  assert.equal(answer.status, 200);
});
