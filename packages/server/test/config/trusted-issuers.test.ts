import { describe, expect, test } from 'vitest';
import { trustedIssuers } from '../../src/config/trusted-issuers.ts';
import { isPublicAddress } from '../../src/network/public-address.ts';

const messageOf = (text: string) => trustedIssuers.safeParse(text).error?.issues[0]?.message;
const withIssuer = (issuer: string, more: object = {}) => JSON.stringify([{ issuer, audiences: ['client'], ...more }]);

describe('the setting of trusted issuers', () => {
  test('an issuer needs a URL and an audience, and has safe defaults', () => {
    expect(trustedIssuers.parse(withIssuer('https://accounts.google.com'))).toEqual([
      {
        issuer: 'https://accounts.google.com',
        audiences: ['client'],
        authorizedParties: [],
        allowPrivateAddress: false,
        maxTokenSeconds: 86_400,
      },
    ]);
  });

  test.each(['', ' ', '[]'])('%j trusts nobody', (text) => {
    expect(trustedIssuers.parse(text)).toEqual([]);
  });

  test.each(['https://login.example/realms/one', 'https://tenant.auth0.example/', 'https://issuer.example:8443'])(
    '%s is accepted as written',
    (issuer) => {
      expect(trustedIssuers.parse(withIssuer(issuer))[0]?.issuer).toBe(issuer);
    },
  );

  test.each(['http://localhost:9000', 'http://127.0.0.1:9000/oidc', 'http://[::1]'])('%s needs allowPrivateAddress', (issuer) => {
    expect(messageOf(withIssuer(issuer))).toMatch(/^is wrong at 0\.issuer: must start with https/);
    expect(trustedIssuers.parse(withIssuer(issuer, { allowPrivateAddress: true }))[0]?.issuer).toBe(issuer);
  });

  test('the URL of the keys can be set', () => {
    const jwksUri = 'https://mirror.example/google/keys?v=1';
    expect(trustedIssuers.parse(withIssuer('https://accounts.google.com', { jwksUri }))[0]).toMatchObject({ jwksUri });
    const loopback = { jwksUri: 'http://127.0.0.1:9000/keys', allowPrivateAddress: true };
    expect(trustedIssuers.parse(withIssuer('https://accounts.google.com', loopback))[0]).toMatchObject(loopback);
  });

  test.each([
    ['not JSON', 'must be a JSON list such as'],
    ['{}', 'must be a JSON list such as'],
    ['[1]', 'is wrong at 0'],
    ['[{}]', 'is wrong at 0.issuer'],
    [withIssuer('accounts.google.com'), 'must be a URL'],
    [withIssuer('http://issuer.example', { allowPrivateAddress: true }), 'must start with https'],
    [withIssuer('ftp://issuer.example'), 'must start with https'],
    [withIssuer('https://user@issuer.example'), 'must not have a user'],
    [withIssuer('https://issuer.example?'), 'must not have a user'],
    [withIssuer('https://issuer.example/#x'), 'must not have a user'],
    [withIssuer('https://ISSUER.example'), 'must be written as a plain URL: https://issuer.example/'],
    [withIssuer('https://issuer.example', { audiences: [] }), 'must contain at least one client id'],
    [withIssuer('https://issuer.example', { audience: 'x' }), 'Unrecognized key'],
    [withIssuer('https://issuer.example', { jwksUri: '/keys' }), 'is wrong at 0.jwksUri: must be a URL'],
    [withIssuer('https://issuer.example', { jwksUri: 'http://127.0.0.1/keys' }), 'is wrong at 0.jwksUri: must start with https'],
    [
      withIssuer('https://issuer.example', { jwksUri: 'http://mirror.example/keys', allowPrivateAddress: true }),
      'is wrong at 0.jwksUri: must start with https',
    ],
    [withIssuer('https://issuer.example', { jwksUri: 'https://user@mirror.example' }), 'must not have a user'],
    [withIssuer('https://issuer.example', { maxTokenSeconds: 0 }), 'is wrong at 0.maxTokenSeconds'],
    [
      JSON.stringify(JSON.parse(withIssuer('https://a.example')).concat(JSON.parse(withIssuer('https://a.example')))),
      'contains an issuer twice',
    ],
  ])('%s is refused with the reason', (text, message) => {
    expect(messageOf(text)).toContain(message);
  });
});

test.each([
  ['8.8.8.8', true],
  ['142.250.74.110', true],
  ['2a00:1450:4001:81b::200e', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.2', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['192.168.0.1', false],
  ['198.19.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['fe80::1', false],
  ['fc00::1', false],
  ['fd12:3456::1', false],
  ['ff02::1', false],
  ['2001:db8::1', false],
  ['2002:a00:1::', false],
  ['localhost', false],
  ['', false],
])('%s is a public address: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});
