import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
// The loop inside `fetchWallets`; the package's own entry does not name it.
import { fetchAllWalletAccountsWithCursor } from '@turnkey/core/dist/utils.mjs';
import { ethereumAccount, nameFor, newSubOrganization, openWorld } from '../support/world.js';

let world;

before(async () => {
  world = await openWorld();
});

after(() => world.close());

const accountAt = (index) => ({ ...ethereumAccount, path: `m/44'/60'/7'/0/${index}` });

describe('lists that clients page through', () => {
  test('@turnkey/core fetches every account of an organization with 250 of them', async () => {
    const {
      id,
      clients: [client],
    } = await newSubOrganization(world);
    const known = await client.getWalletAccounts({});
    const first = Array.from({ length: 100 }, (_, index) => accountAt(index));
    const { walletId } = await client.createWallet({ walletName: nameFor('wallet'), accounts: first });
    const more = Array.from({ length: 150 - known.accounts.length }, (_, index) => accountAt(100 + index));
    await client.createWalletAccounts({ walletId, accounts: more });

    const accounts = await fetchAllWalletAccountsWithCursor(client, id);
    assert.equal(accounts.length, 250);
    assert.equal(new Set(accounts.map(({ walletAccountId }) => walletAccountId)).size, 250);
    assert.ok(accounts.every(({ walletDetails }) => walletDetails.walletId !== undefined));
  });
});
