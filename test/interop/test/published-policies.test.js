import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { newSubOrganization, openWorld } from '../support/world.js';

const corpus = JSON.parse(await readFile(new URL('../../../conformance/policies/published.json', import.meta.url), 'utf8'));

/** The parameters of a policy as the client sends them. Examples leave out what they do not need, or send it empty. */
const parametersOf = ({ name, effect, condition, consensus, time }) => ({
  policyName: name,
  effect,
  ...(condition !== undefined && { condition }),
  ...(consensus !== undefined && { consensus }),
  ...(time !== undefined && { time }),
  notes: '',
});

describe('policies as others publish them', () => {
  let world;

  before(async () => {
    world = await openWorld();
  });

  after(() => world.close());

  test('all that compile are created by the client, and read back as they were sent', async () => {
    assert.ok(corpus.policies.length >= 130);
    // An organization has a limited number of policies.
    for (let start = 0; start < corpus.policies.length; start += 50) {
      const chunk = corpus.policies.slice(start, start + 50);
      const { clients } = await newSubOrganization(world);
      const [client] = clients;
      const { policyIds } = await client.createPolicies({ policies: chunk.map(parametersOf) });
      assert.equal(policyIds.length, chunk.length);
      const { policies } = await client.getPolicies({});
      for (const { name, effect, condition = '', consensus = '' } of chunk) {
        const read = policies.find(({ policyName }) => policyName === name);
        assert.deepEqual([read.effect, read.condition ?? '', read.consensus ?? ''], [effect, condition, consensus]);
      }
    }
  });

  for (const policy of corpus.refused) {
    test(`refused: ${policy.name}`, async () => {
      const refusal = await world.client.createPolicy(parametersOf(policy)).then(
        () => assert.fail('it was created'),
        (error) => error,
      );
      assert.equal(refusal.code, 3);
      assert.match(refusal.message, /invalid policy condition/i);
    });
  }
});
