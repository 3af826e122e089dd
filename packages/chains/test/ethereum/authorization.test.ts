import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { Authorization, PersonalMessage } from 'ox';
import { describe, expect, test } from 'vitest';
import { parseAuthorization as parseIn, personalMessageDigest } from '../../src/ethereum/index.ts';
import { fixedHex, hexOf, uint } from './arbitrary-transactions.ts';
import { contextWith, refusal } from './support.ts';

const parseAuthorization = (text: string) => parseIn(text, contextWith());

const address = '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B';
const self = '0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F';
const valid = { address, chainId: 1, nonce: 5 };

describe('parseAuthorization', () => {
  test('the digest is the one ox computes', () => {
    fc.assert(
      fc.property(fixedHex(20), fc.nat(), uint(53), (to, chainId, nonce) => {
        const { digest, policy } = parseAuthorization(JSON.stringify({ address: to, chainId, nonce: nonce.toString() }));
        expect(`0x${bytesToHex(digest)}`).toBe(Authorization.getSignPayload({ address: to, chainId, nonce }));
        expect(policy).toEqual({ address: to, chain_id: BigInt(chainId), nonce });
      }),
    );
  });

  test('numbers may be strings, decimal or hex', () => {
    const spelled = parseAuthorization(JSON.stringify({ nonce: '0x5', chainId: '1', address: address.toLowerCase() }));
    expect(spelled).toEqual(parseAuthorization(JSON.stringify(valid)));
    expect(spelled.namespace).toBe('eth.eip_7702_authorization');
  });

  test.each([
    [valid, `CHANGE WHO CONTROLS ${self}: it obeys from now on, without limit, the code at ${address} on Ethereum`],
    [
      { ...valid, chainId: 0 },
      `NOT BOUND TO ONE CHAIN: the delegation is good on every chain, CHANGE WHO CONTROLS ${self}: it obeys from now on, without limit, the code at ${address}`,
    ],
    [{ ...valid, address: `0x${'0'.repeat(40)}` }, `CHANGE WHO CONTROLS ${self}: it obeys no code any more on Ethereum`],
  ])('D36: %j is described plainly', (authorization, description) => {
    expect(parseAuthorization(JSON.stringify(authorization)).description).toBe(description);
  });

  test.each<[string, unknown, string]>([
    ['a list', [], 'an authorization is a JSON object'],
    ['a further field', { ...valid, r: '0x1' }, 'an authorization has no field "r"'],
    ['no address', { ...valid, address: undefined }, 'address is not a 0x address'],
    ['a bad checksum', { ...valid, address: address.replace('c0c1', 'C0c1') }, 'EIP-55 checksum'],
    ['no chain id', { ...valid, chainId: undefined }, 'chainId must be an integer'],
    ['a negative chain id', { ...valid, chainId: -1 }, 'chainId must be an integer'],
    [
      'a nonce of 2^64 - 1',
      { ...valid, nonce: '18446744073709551615' },
      'nonce must be an integer from 0 to 18446744073709551614',
    ],
    ['a fractional nonce', { ...valid, nonce: 1.5 }, 'not a plain integer'],
  ])('%s is refused', (_, authorization, reason) => {
    expect(refusal(() => parseAuthorization(JSON.stringify(authorization)))).toMatch(/^INVALID_TYPED_DATA: /);
    expect(refusal(() => parseAuthorization(JSON.stringify(authorization)))).toContain(reason);
  });
});

describe('personalMessageDigest', () => {
  test('a known message has its known digest', () => {
    expect(bytesToHex(personalMessageDigest(utf8ToBytes('Some data')))).toBe(
      '1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655',
    );
  });

  test('the digest is the one ox computes', () => {
    fc.assert(
      fc.property(hexOf({ maxLength: 120 }), (message) => {
        expect(`0x${bytesToHex(personalMessageDigest(hexToBytes(message.slice(2))))}`).toBe(
          PersonalMessage.getSignPayload(message),
        );
      }),
    );
  });
});
