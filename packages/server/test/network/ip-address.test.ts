import { SocketAddress } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIpAddress, showIpAddress } from '../../src/network/ip-address.ts';

const canonical = (text: string) => {
  const address = parseIpAddress(text);
  return address && showIpAddress(address);
};

describe('an address has one form', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['10:0:1:0:0:2:3:4', '10:0:1::2:3:4'],
    ['1:2:3:4:5:6:0:0', '1:2:3:4:5:6::'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
    // IPv4-compatible addresses are deprecated (RFC 4291 section 2.5.5.1), and are not IPv4.
    ['::192.0.2.1', '::c000:201'],
  ])('%s is %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test.each([
    '',
    ' 127.0.0.1',
    '127.0.0.1 ',
    '127.0.0.1:80',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '256.0.0.1',
    '1.2.3.4.5',
    '1.2.3.4/32',
    '[::1]',
    '::1%lo',
    'fe80::1%25eth0',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'localhost',
    'unknown',
    '١٢٧.0.0.1',
  ])('%j is not an address', (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });

  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  // Many zeros, so that runs of them occur.
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
  const groups = fc.tuple(group, group, group, group, group, group, group, group);

  test('writing and reading an address gives the same address, and Node writes it the same way', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const text = parts.map((part) => part.toString(16)).join(':');
        const address = parseIpAddress(text);
        if (address === undefined) throw new Error(`${text} is an address`);
        const shown = showIpAddress(address);
        expect(parseIpAddress(shown)).toEqual(address);
        const { address: theirs } = new SocketAddress({ address: text, family: 'ipv6' });
        // Node writes some addresses with a dotted end, which means the same address.
        expect(parseIpAddress(theirs)).toEqual(address);
        if (!theirs.includes('.')) expect(shown).toBe(theirs);
      }),
      { numRuns: 500 },
    );
  });

  test('IPv4 as IPv6 is IPv4, in every notation', () => {
    fc.assert(
      fc.property(octets, ([a, b, c, d]) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        expect(canonical(plain)).toBe(plain);
        expect(canonical(`::ffff:${plain}`)).toBe(plain);
        expect(canonical(`0:0:0:0:0:FFFF:${hex}`)).toBe(plain);
      }),
    );
  });
});
