import { describe, expect, test } from 'vitest';
import { checkGasSponsors, gasSponsors } from '../../src/config/gas-sponsors.ts';

const sponsor = {
  organizationId: '0198c0de-0000-7000-8000-000000000001',
  userId: '0198c0de-0000-7000-8000-000000000002',
  signWith: `0x${'Ab'.repeat(20)}`,
  maxWeiPerSend: '2000000000000000',
};
const one = (change: object) => JSON.stringify({ 'eip155:1': { ...sponsor, ...change } });

describe('gas sponsors', () => {
  test('are one for each chain, with the address in lower case', () => {
    const found = { ...sponsor, chain: 'eip155:1', signWith: `0x${'ab'.repeat(20)}` };
    // D952: a top-up takes the gas of a transfer, if the operator gives no other limit.
    expect(gasSponsors.parse(one({}))).toEqual([{ ...found, gasLimit: '21000' }]);
    expect(gasSponsors.parse(one({ gasLimit: '400000' }))).toEqual([{ ...found, gasLimit: '400000' }]);
    expect(gasSponsors.parse('')).toEqual([]);
    expect(gasSponsors.parse('{}')).toEqual([]);
  });

  test.each([
    ['text that is not JSON', 'eip155:1', 'must be a JSON object'],
    ['a list', '[]', 'must be a JSON object'],
    ['a chain twice', one({}).replace(/^\{(.*)\}$/, '{$1,$1}'), 'must be a JSON object'],
    ['another kind of chain', JSON.stringify({ 'tron:0x2b6653dc': sponsor }), 'must name EVM chains only'],
    ['no organization', one({ organizationId: undefined }), 'is wrong at eip155:1.organizationId'],
    ['a user by name', one({ userId: 'sponsor' }), 'must be an id in lower case'],
    ['a key by id', one({ signWith: sponsor.userId }), 'must be an address'],
    ['D912: no maximum', one({ maxWeiPerSend: undefined }), 'is wrong at eip155:1.maxWeiPerSend'],
    ['a maximum of 0', one({ maxWeiPerSend: '0' }), 'above 0'],
    ['a maximum in ether', one({ maxWeiPerSend: '0.1' }), 'whole number of wei'],
    ['a maximum that is no text', one({ maxWeiPerSend: 10 }), 'is wrong at eip155:1.maxWeiPerSend'],
    ['D952: less gas than a transfer takes', one({ gasLimit: '20999' }), 'from 21000 to 9999999'],
    ['D952: a block of gas', one({ gasLimit: '10000000' }), 'from 21000 to 9999999'],
    ['an unknown field', one({ privateKey: '00' }), 'is wrong at eip155:1'],
  ])('%s is rejected', (_, text, message) => {
    expect(gasSponsors.safeParse(text).error?.issues[0]?.message).toContain(message);
  });

  test('need nodes of their chain', () => {
    const sponsors = gasSponsors.parse(one({}));
    const nodes = (chain: string) => [{ chain, endpoints: [] }];
    expect(() => checkGasSponsors({ gasSponsors: sponsors, chainEndpoints: nodes('eip155:10') })).toThrow(
      '--gas-sponsors names eip155:1, and --chain-endpoints does not',
    );
    checkGasSponsors({ gasSponsors: sponsors, chainEndpoints: nodes('eip155:1') });
    checkGasSponsors({ gasSponsors: [], chainEndpoints: [] });
  });
});
