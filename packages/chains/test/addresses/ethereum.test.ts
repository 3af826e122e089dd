import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { Address, PublicKey } from 'ox';
import { describe, expect, test } from 'vitest';
import { ethereumAddressOf, normalizeEthereumAddress, toChecksumAddress } from '../../src/ethereum/index.ts';
import { refusal, signer } from '../ethereum/support.ts';

/** The examples of EIP-55: all upper, all lower, then mixed. */
const official = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('Ethereum addresses', () => {
  test.each(official)('EIP-55: %s is its own checksum form', (address) => {
    expect(toChecksumAddress(address.toLowerCase())).toBe(address);
  });

  test.each(official)('D34: every spelling of %s has one form', (address) => {
    const digits = address.slice(2);
    const spellings = [
      address,
      digits,
      `0X${digits}`,
      `0x${digits.toLowerCase()}`,
      `0x${digits.toUpperCase()}`,
      digits.toUpperCase(),
    ];
    expect(new Set(spellings.map(normalizeEthereumAddress))).toEqual(new Set([address.toLowerCase()]));
  });

  test('D34: one letter of the wrong case in a mixed address is refused', () => {
    expect(refusal(() => normalizeEthereumAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'))).toMatch(
      /^INVALID_ADDRESS: .*checksum/,
    );
  });

  test.each(['', '0x', '0x1234', `0x${'0'.repeat(41)}`, `0x${'g'.repeat(40)}`, `0x0x${'0'.repeat(38)}`, ` 0x${'0'.repeat(40)}`])(
    'D34: %j is refused',
    (text) => {
      expect(refusal(() => normalizeEthereumAddress(text))).toMatch(/^INVALID_ADDRESS: .*40 hexadecimal digits/);
    },
  );

  test('the address of a key is the one ox computes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (secretKey) => {
        fc.pre(secp256k1.utils.isValidSecretKey(secretKey));
        const expected = Address.fromPublicKey(PublicKey.fromBytes(secp256k1.getPublicKey(secretKey, false)));
        expect(ethereumAddressOf(secp256k1.getPublicKey(secretKey))).toBe(expected.toLowerCase());
      }),
      { numRuns: 20 },
    );
  });

  test('the key of the EIP-155 example has the known address', () => {
    expect(ethereumAddressOf(signer.publicKey)).toBe('0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f');
  });

  test('bytes that are no key are refused', () => {
    expect(refusal(() => ethereumAddressOf(new Uint8Array(33)))).toContain('INVALID_PUBLIC_KEY');
  });
});
