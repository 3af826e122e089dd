import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClientAddress, rememberPeer } from '../../../src/http/transport/client-address.ts';
import { showIpAddress } from '../../../src/network/ip-address.ts';

const proxies = ['10.0.0.0/8', '2001:db8:f::/48'];

/** The client of a request from `peer` with this `X-Forwarded-For`, or `unknown`. */
function clientOf(peer: string | undefined, header: string | undefined, trusted: readonly string[] = proxies): string {
  const headers = header === undefined ? {} : { 'x-forwarded-for': header };
  const address = createClientAddress(trusted)({ socket: { remoteAddress: peer }, headers });
  return address === undefined ? 'unknown' : showIpAddress(address);
}

describe('without trusted proxies', () => {
  test('the client is the peer, in canonical form', () => {
    expect(clientOf('192.0.2.1', undefined, [])).toBe('192.0.2.1');
    expect(clientOf('::ffff:192.0.2.1', undefined, [])).toBe('192.0.2.1');
    expect(clientOf('2001:db8::1', undefined, [])).toBe('2001:db8::1');
    expect(clientOf('fe80::1%eth0', undefined, [])).toBe('fe80::1');
    expect(clientOf(undefined, undefined, [])).toBe('unknown');
  });

  test('D66: ignores X-Forwarded-For', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(clientOf('192.0.2.1', header, [])).toBe('192.0.2.1');
        expect(clientOf('192.0.2.1', `203.0.113.9, ${header}`)).toBe('192.0.2.1');
      }),
    );
  });
});

describe('behind trusted proxies', () => {
  test.each([
    ['one hop', '203.0.113.9', '203.0.113.9'],
    ['a spoofed left entry', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['garbage on the left', '<script>, unknown, , 203.0.113.9', '203.0.113.9'],
    ['a trusted address on the left, forged', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['two proxies', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['two proxies and a forged entry', '198.51.100.1, 203.0.113.9,10.0.0.2', '203.0.113.9'],
    ['proxies of both families', '203.0.113.9, 2001:db8:f::2, 10.0.0.2', '203.0.113.9'],
    ['only proxies: the leftmost is the client', '10.0.0.7, 10.0.0.2', '10.0.0.7'],
    ['a port', '203.0.113.9:4711', '203.0.113.9'],
    ['brackets', '[2001:db8::9]', '2001:db8::9'],
    ['brackets and a port', '[2001:db8::9]:4711', '2001:db8::9'],
    ['IPv6 as it is', '2001:DB8::9', '2001:db8::9'],
    ['IPv4 as IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['IPv4 as IPv6, of a proxy', '203.0.113.9, ::ffff:10.0.0.2', '203.0.113.9'],
    ['blanks', ' \t203.0.113.9\t ', '203.0.113.9'],
  ])('%s', (_, header, expected) => {
    expect(clientOf('10.0.0.1', header)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    ',',
    '203.0.113.9,',
    'unknown',
    '_hidden',
    'localhost',
    '203.0.113.9 198.51.100.1',
    '203.0.113.9;198.51.100.1',
    '"203.0.113.9"',
    '203.0.113.9:',
    '203.0.113.9:http',
    '203.0.113.9:123456',
    '[203.0.113.9]',
    '[2001:db8::9',
    '2001:db8::9]',
    '[2001:db8::9]4711',
    '[[2001:db8::9]]',
    '2001:db8::9%eth0',
    '203.0.113.0/24',
    '0xcb007109',
    '203.0.113.009',
    '203.0.113.9, unknown, 10.0.0.2',
    'for=203.0.113.9',
  ])('%j names no address, so the client is unknown', (header) => {
    expect(clientOf('10.0.0.1', header)).toBe('unknown');
  });

  test('without a header, the proxy is the client', () => {
    expect(clientOf('10.0.0.1', undefined)).toBe('10.0.0.1');
    expect(clientOf('::ffff:10.0.0.1', undefined)).toBe('10.0.0.1');
    expect(clientOf(undefined, '203.0.113.9')).toBe('unknown');
  });

  const outside = fc.tuple(fc.integer({ min: 11, max: 223 }), fc.nat(255), fc.nat(255)).map((parts) => `${parts.join('.')}.1`);
  const inside = fc.tuple(fc.nat(255), fc.nat(255)).map((parts) => `10.${parts.join('.')}.1`);

  test('D66: a forged header never changes the address that the proxy saw', () => {
    fc.assert(
      fc.property(fc.string(), outside, fc.array(inside, { maxLength: 3 }), inside, (forged, client, chain, peer) => {
        expect(clientOf(peer, [forged, client, ...chain].join(', '))).toBe(client);
      }),
      { numRuns: 300 },
    );
  });

  test('any header yields an address or unknown, and never throws', () => {
    const pieces = fc.constantFrom('10.0.0.1', '203.0.113.9', '::1', '[', ']', ':', ',', ' ', '%', '/', '.', '0', 'f');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        expect(clientOf('10.0.0.1', parts.join(''))).toMatch(/^(unknown|[0-9a-f.:]+)$/);
      }),
      { numRuns: 500 },
    );
  });

  test('a long header is read quickly', () => {
    for (const piece of [',', ' ', ':', '[', '10.0.0.1,', '1:']) {
      expect(clientOf('10.0.0.1', piece.repeat(16_384 / piece.length))).toMatch(/^(unknown|10\.0\.0\.1)$/);
    }
  });
});

test('recognizes a connection without a peer', () => {
  expect([rememberPeer({ remoteAddress: '::1' }), rememberPeer({ remoteAddress: undefined })]).toEqual([true, false]);
});
