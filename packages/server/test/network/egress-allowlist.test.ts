import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createEgressAllowlist } from '../../src/network/egress-allowlist.ts';
import { compileBlocks } from '../../src/network/ip-blocks.ts';
import { egressAllowlistIn, type Names } from '../notify/webhooks/names.ts';

const names: Names = {
  'hooks.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'inside.example.com': ['10.1.2.3'],
  'both.example.com': ['93.184.216.34', '192.168.0.1'],
  'loop6.example.com': ['::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'empty.example.com': [],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
};
const publicOnly = egressAllowlistIn([], names);

/** Problems that are found without a look-up. */
const plainProblem = (url: string) => publicOnly.problemOf(new URL(url));
const problem = (url: string) => publicOnly.problemNow(new URL(url));

/** Addresses of this machine, of private and of special networks, as hosts of a URL. */
const notPublic = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.254', '0x7f000001', '0x7f.1', '2130706433', '0177.0.0.1'],
  ...['017700000001', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '0', '0.0.0.0', '0.1.2.3', '0x0'],
  ...['10.0.0.1', '10.255.255.255', '0xa.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.0.1', '0300.0250.1'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '100.64.0.1', '100.127.255.255', '198.18.0.1', '198.19.255.255'],
  ...['192.0.0.8', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]'],
  ...['[::ffff:8.8.8.8]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[100::1]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[2001:db8::1]', '[2001::1]', '[2002:7f00:1::]', '[3fff::1]'],
  ...['[fd00:ec2::254]'],
];

describe('where webhooks may go', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(notPublic)('D60: https://%s/ is refused without a look-up', async (host) => {
    expect(plainProblem(`https://${host}/hook`)).toMatch(/private or reserved/);
    expect(plainProblem(`http://${host}/hook`)).toMatch(/https/);
    expect(await problem(`https://${host}:8443/hook`)).toMatch(/private or reserved/);
  });

  test.each([
    ['http://hooks.example.com/', /must begin with https/],
    ['http://93.184.216.34/', /must begin with https/],
    ['ftp://hooks.example.com/', /must begin with https/],
    ['file:///etc/passwd', /must begin with https/],
    ['data:text/plain,x', /must begin with https/],
    ['javascript:alert(1)', /must begin with https/],
    ['gopher://hooks.example.com/', /must begin with https/],
    ['https://user@hooks.example.com/', /user name or password/],
    ['https://user:secret@hooks.example.com/', /user name or password/],
    ['https://:secret@hooks.example.com/', /user name or password/],
    ['https://93.184.216.34@127.0.0.1/', /user name or password/],
    ['https://hooks.example.com/#part', /fragment/],
  ])('D60: %s is refused', async (url, why) => {
    expect(await problem(url)).toMatch(why);
  });

  test.each([
    'https://hooks.example.com/',
    'https://HOOKS.Example.COM:8443/a/b?c=d',
    'https://93.184.216.34/',
    'https://8.8.8.8:9443/hook',
    'https://[2606:2800:220:1::1]/',
    'https://[2606:2800:220:1::1]:8443/',
  ])('%s is accepted', async (url) => {
    expect(plainProblem(url)).toBeUndefined();
    expect(await problem(url)).toBeUndefined();
  });

  test.each([
    ['localhost', /resolves to a private or reserved/],
    ['LOCALHOST', /resolves to a private or reserved/],
    ['localhost.', /resolves to a private or reserved/],
    ['inside.example.com', /resolves to a private or reserved/],
    ['loop6.example.com', /resolves to a private or reserved/],
    ['mapped.example.com', /resolves to a private or reserved/],
    ['metadata.google.internal', /resolves to a private or reserved/],
    ['instance-data.ec2.internal', /resolves to a private or reserved/],
    ['both.example.com', /resolves to a private or reserved/],
    ['empty.example.com', /cannot be resolved/],
    ['unknown.example.com', /cannot be resolved/],
  ])('D60: the name %s is refused because of its addresses', async (name, why) => {
    expect(plainProblem(`https://${name}/`)).toBeUndefined();
    expect(await problem(`https://${name}/`)).toMatch(why);
  });

  test('D60: localhost is refused as this machine resolves it', async () => {
    const real = createEgressAllowlist(compileBlocks([]));
    for (const host of ['localhost', 'localhost.']) expect(await real.problemNow(new URL(`https://${host}/`))).toBeDefined();
  });

  describe('with listed networks', () => {
    const listed = egressAllowlistIn(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8'], names);
    const listedProblem = (url: string) => listed.problemNow(new URL(url));

    test.each([
      'http://10.1.2.3/',
      'https://10.1.2.3/',
      'http://127.0.0.1:8080/',
      'http://127.1:8080/',
      'http://[fd00::1]/',
      'https://[fd00::1]/',
      'http://inside.example.com/',
      'https://inside.example.com/',
      'https://hooks.example.com/',
    ])('%s is accepted', async (url) => {
      expect(await listedProblem(url)).toBeUndefined();
    });

    test.each([
      'http://127.0.0.2/',
      'https://127.0.0.2/',
      'https://192.168.0.1/',
      'https://169.254.169.254/',
      'http://hooks.example.com/',
      'http://93.184.216.34/',
      'http://localhost/',
      'https://both.example.com/',
      'https://[fe80::1]/',
      'https://user@10.1.2.3/',
    ])('D60: %s is still refused', async (url) => {
      expect(await listedProblem(url)).toBeDefined();
    });
  });

  /** Every notation of an IPv4 address in URLs: one to four parts, each in one of three bases, or as IPv6. */
  const spelling = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }));
  const spell = (bits: number, [count, bases]: [number, number[]]) => {
    const write = (value: number, base = 10) =>
      base === 8 ? `0${value.toString(8)}` : base === 16 ? `0x${value.toString(16)}` : String(value);
    const leading = Array.from({ length: count - 1 }, (_, at) => write((bits >>> (24 - 8 * at)) & 0xff, bases[at]));
    const rest = count === 1 ? bits : bits & (2 ** (32 - 8 * (count - 1)) - 1);
    return [...leading, write(rest, bases[count - 1])].join('.');
  };
  const anyPrivate = fc
    .constantFrom<[string, number]>(
      ['127.0.0.0', 8],
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['169.254.0.0', 16],
      ['100.64.0.0', 10],
      ['198.18.0.0', 15],
      ['0.0.0.0', 8],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
    )
    .chain(([network, prefix]) => {
      const base = network.split('.').reduce((bits, part) => bits * 256 + Number(part), 0);
      return fc.integer({ min: 0, max: 2 ** (32 - prefix) - 1 }).map((host) => base + host);
    });

  test('D60: a private address is refused in every notation', () => {
    fc.assert(
      fc.property(anyPrivate, spelling, (bits, how) => {
        const hex = [bits >>> 16, bits & 0xffff].map((group) => group.toString(16)).join(':');
        for (const host of [spell(bits, how), `[::ffff:${hex}]`, `[64:ff9b::${hex}]`, `[2002:${hex}::1]`])
          expect(plainProblem(`https://${host}/`), host).toMatch(/private or reserved/);
      }),
      { numRuns: 500 },
    );
  });
});
