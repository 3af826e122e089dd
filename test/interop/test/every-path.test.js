import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { notMeant, wordsOfAll } from '../support/published-words.js';
import { post } from '../support/submit.js';
import { nameFor, newWallet, openWorld } from '../support/world.js';

const installed = new URL('../node_modules/@turnkey/', import.meta.url);

/** Hosts that the packages name, and what serves their purpose here. A new host fails the test until it has an answer. */
const hosts = {
  'https://api.turnkey.com': 'the base URL of this server',
  'https://authproxy.turnkey.com': 'refused with a reason below /v1 of the base URL',
  'https://auth.turnkey.com': 'a page of the hosted service: mail links point to the page that the request names',
  'https://export.turnkey.com': 'a page of the hosted service: export_wallet and the other exports need no page',
  'https://import.turnkey.com': 'a page of the hosted service: import_wallet and import_private_key need no page',
  'https://docs.turnkey.com': 'documentation',
  'https://www.turnkey.com': 'documentation',
  'https://whitepaper.turnkey.com': 'documentation',
};

describe('everything that the installed packages can ask for', () => {
  let world;
  let words;

  before(async () => {
    world = await openWorld();
    const packages = await readdir(installed);
    words = await wordsOfAll(packages.map((name) => new URL(`${name}/`, installed).pathname));
  });

  after(() => world.close());

  test('the packages were read', () => {
    assert.ok(words.paths.length >= 193, `${words.paths.length} paths`);
    assert.ok(words.proxyPaths.length >= 13, `${words.proxyPaths.length} paths of the auth proxy`);
    assert.ok(words.activityTypes.length >= 150, `${words.activityTypes.length} activity types`);
  });

  test('every path is served, or refused with a reason: those of the auth proxy too', async () => {
    const counts = { served: 0, refused: 0 };
    for (const path of [...words.paths, ...words.proxyPaths]) {
      const { status, body } = await post(world, path, '{}');
      if (status === 501) {
        assert.match(body.message, /^This operation is not offered by this server: [a-z].*\.$/, path);
        counts.refused++;
      } else {
        // It is read as an operation: the empty body lacks the fields of one.
        assert.deepEqual([status, body.turnkeyErrorCode], [400, 'REQUEST_INVALID'], `${path}: ${body.message}`);
        counts.served++;
      }
    }
    assert.equal(counts.served + counts.refused, words.paths.length + words.proxyPaths.length);
    assert.ok(counts.served >= 120, `${counts.served} are served`);
  });

  test('a policy can name every activity type', async () => {
    const names = words.activityTypes.filter((word) => !notMeant.has(word)).map((word) => `'${word}'`);
    await world.client.createPolicy({
      policyName: nameFor('policy'),
      effect: 'EFFECT_DENY',
      condition: `activity.type in [${names.join(', ')}] && wallet.label == 'none'`,
      notes: '',
    });
  });

  test('every type of transactions is read, or refused with the list of those that are', async () => {
    const { addresses } = await newWallet(world);
    const types = words.transactionTypes.filter((word) => !notMeant.has(word));
    assert.ok(types.includes('TRANSACTION_TYPE_TEMPO'));
    for (const type of types) {
      const refusal = await world.client
        .signTransaction({ signWith: addresses[0], unsignedTransaction: '00', type })
        .catch((error) => error);
      assert.ok(refusal instanceof Error, type);
      assert.doesNotMatch(refusal.message, /must be one of/, type);
      if (type === 'TRANSACTION_TYPE_TEMPO')
        assert.match(refusal.message, /this server does not read.*Ethereum, Solana, Tron or Bitcoin/);
    }
  });

  test('every host has its answer', () => {
    assert.deepEqual(
      words.hosts.filter((host) => !(host in hosts)),
      [],
    );
  });
});
