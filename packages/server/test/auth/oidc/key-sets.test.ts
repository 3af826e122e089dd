import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchJson } from '../../../src/auth/oidc/fetch-json.ts';
import {
  createKeySets,
  FAILURE_COOL_DOWN_MS,
  KEY_SET_MAX_AGE_MS,
  type KeySets,
  UNKNOWN_KEY_COOL_DOWN_MS,
} from '../../../src/auth/oidc/key-sets.ts';
import { IssuerUnavailable } from '../../../src/auth/oidc/oidc-error.ts';
import type { TrustedIssuer } from '../../../src/config/trusted-issuers.ts';
import { CLIENT_ID, DISCOVERY_PATH, KEYS_PATH, TestIssuer } from './test-issuer.ts';

let issuer: TestIssuer;
let trap: TestIssuer;
let trusted: TrustedIssuer;
let keySets: KeySets;
let nowMs: number;

beforeEach(async () => {
  [issuer, trap] = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
  trusted = {
    issuer: issuer.url,
    audiences: [CLIENT_ID],
    authorizedParties: [],
    allowPrivateAddress: true,
    maxTokenSeconds: 3600,
  };
  keySets = createKeySets();
  nowMs = 1_000_000;
});
afterEach(() => Promise.all([issuer?.close(), trap?.close()]));

const keysFor = (keyId?: string) => keySets.keysFor(trusted, keyId, nowMs);
/** The ids of the known keys, or the error message. */
const idsFor = (keyId?: string) =>
  keysFor(keyId).then(
    (keys) => keys.jwks().keys.map(({ kid }) => kid),
    (error: unknown) => {
      expect(error).toBeInstanceOf(IssuerUnavailable);
      return (error as Error).message;
    },
  );
const oneReading = [DISCOVERY_PATH, KEYS_PATH];

describe('caching keys', () => {
  test('concurrent requests read the keys once, and the keys are cached', async () => {
    const [first] = await Promise.all(Array.from({ length: 50 }, () => idsFor(issuer.newestKey.kid)));
    expect(first).toEqual([issuer.newestKey.kid]);
    nowMs += KEY_SET_MAX_AGE_MS - 1;
    await idsFor(issuer.newestKey.kid);
    await idsFor(undefined);
    expect(issuer.requests).toEqual(oneReading);
    nowMs += 1;
    await idsFor(issuer.newestKey.kid);
    expect(issuer.requests).toEqual([...oneReading, ...oneReading]);
  });

  test('a rotated key is found once the cool-down is over', async () => {
    const { kid: old } = issuer.newestKey;
    await idsFor(old);
    await issuer.rotate();
    const { kid } = issuer.newestKey;
    nowMs += UNKNOWN_KEY_COOL_DOWN_MS - 1;
    expect(await idsFor(kid)).toEqual([old]);
    nowMs += 1;
    expect(await idsFor(kid)).toEqual([kid]);
    expect(issuer.requests).toEqual([...oneReading, ...oneReading]);
  });

  test('made-up key ids do not cause many requests', async () => {
    await idsFor(issuer.newestKey.kid);
    for (let index = 0; index < 200; index++) await idsFor(`made-up-${index}`);
    expect(issuer.requests).toEqual(oneReading);
    nowMs += UNKNOWN_KEY_COOL_DOWN_MS;
    await Promise.all(Array.from({ length: 200 }, (_, index) => idsFor(`made-up-${index}`)));
    expect(issuer.requests).toEqual([...oneReading, ...oneReading]);
  });

  test('after a failure an issuer is left alone for a while, and then works again', async () => {
    issuer.answers.set(KEYS_PATH, (_, response) => response.writeHead(500).end());
    for (let index = 0; index < 20; index++) expect(await idsFor()).toMatch(/responded with 500|failed recently/);
    expect(issuer.requests).toEqual(oneReading);
    issuer.answers.clear();
    nowMs += FAILURE_COOL_DOWN_MS;
    expect(await idsFor()).toEqual([issuer.newestKey.kid]);
  });

  test('while the issuer is down, recent keys are used and old ones are not', async () => {
    const { kid } = issuer.newestKey;
    await idsFor(kid);
    await issuer.close();
    nowMs += KEY_SET_MAX_AGE_MS - 1;
    expect(await idsFor(kid)).toEqual([kid]);
    expect(await idsFor('made-up')).toMatch(/did not return a JSON document/);
    expect(await idsFor(kid)).toEqual([kid]);
    nowMs += FAILURE_COOL_DOWN_MS;
    expect(await idsFor(kid)).toMatch(/did not return a JSON document/);
  });

  test('setting the clock back does not keep old keys', async () => {
    await idsFor();
    nowMs -= 3_600_000;
    await idsFor();
    expect(issuer.requests).toEqual([...oneReading, ...oneReading]);
  });
});

describe('D24: an issuer’s answers', () => {
  const documents: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['is the document of another issuer', () => ({ ...issuer.discovery, issuer: 'https://issuer.example' }), /another issuer/],
    ['differs by a slash', () => ({ ...issuer.discovery, issuer: `${issuer.url}/` }), /another issuer/],
    ['names no keys', () => ({ issuer: issuer.url }), /not a discovery document/],
    ['is a list', () => [issuer.discovery], /not a discovery document/],
    [
      'sends to another host in plain HTTP',
      () => ({ ...issuer.discovery, jwks_uri: `${trap.url}/keys` }),
      /neither https nor on the host of the issuer/,
    ],
    [
      'sends to a file',
      () => ({ ...issuer.discovery, jwks_uri: 'file:///etc/passwd' }),
      /neither https nor on the host of the issuer/,
    ],
    ['sends to no URL', () => ({ ...issuer.discovery, jwks_uri: '/keys' }), /neither https nor on the host of the issuer/],
    [
      'sends with a password',
      () => ({ ...issuer.discovery, jwks_uri: issuer.url.replace('//', '//user:secret@') + KEYS_PATH }),
      /neither https nor on the host of the issuer/,
    ],
    [
      'sends to a private address of another origin',
      () => ({ ...issuer.discovery, jwks_uri: `${trap.url.replace('http:', 'https:')}/keys` }),
      /private address/,
    ],
    [
      'sends to cloud metadata',
      () => ({ ...issuer.discovery, jwks_uri: 'https://169.254.169.254/latest/meta-data' }),
      /private address/,
    ],
    [
      'sends to a name of this machine',
      () => ({ ...issuer.discovery, jwks_uri: `${trap.url.replace('http://127.0.0.1', 'https://localhost')}/keys` }),
      /private address/,
    ],
  ];

  test.each(documents)('a document that %s is refused', async (_, document, message) => {
    issuer.answerJson(DISCOVERY_PATH, document());
    expect(await idsFor()).toMatch(message);
    expect(issuer.requests).toEqual([DISCOVERY_PATH]);
    expect(trap.requests).toEqual([]);
  });

  test.each([DISCOVERY_PATH, KEYS_PATH])('a redirect from %s is not followed', async (path) => {
    for (const status of [301, 302, 303, 307, 308]) {
      issuer.answers.set(path, (_, response) => response.writeHead(status, { location: `${trap.url}${path}` }).end());
      expect(await idsFor()).toMatch(new RegExp(`responded with ${status}`));
      nowMs += FAILURE_COOL_DOWN_MS;
    }
    expect(trap.requests).toEqual([]);
  });

  test.each([DISCOVERY_PATH, KEYS_PATH])('%s has a maximum size', async (path) => {
    let sent = 0;
    issuer.answers.set(path, (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        sent += 65_536;
        response.write(' '.repeat(65_536));
      }, 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(await idsFor()).toMatch(/larger than 262144 bytes/);
    expect(sent).toBeLessThan(16 * 65_536);
  });

  test.each(['never answers', 'drips'])('an issuer that %s is abandoned in time', async (how) => {
    issuer.answers.set(DISCOVERY_PATH, (_, response) => {
      if (how === 'never answers') return;
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    });
    keySets = createKeySets(300);
    const startedMs = performance.now();
    expect(await idsFor()).toMatch(/did not return a JSON document/);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  test.each([
    ['something other than JSON', '<html>'],
    ['no keys', '{}'],
    ['invalid keys', '{"keys":[1]}'],
    ['too many keys', JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) })],
  ])('a key set with %s is refused', async (_, body) => {
    issuer.answers.set(KEYS_PATH, (_request, response) => response.writeHead(200).end(body));
    expect(await idsFor()).toMatch(/not a key set|did not return a JSON document/);
  });

  test('the operator can set where keys are read, without a discovery document', async () => {
    trusted = { ...trusted, issuer: 'https://accounts.google.com', jwksUri: `${issuer.url}${KEYS_PATH}` };
    expect(await idsFor()).toEqual([issuer.newestKey.kid]);
    expect(issuer.requests).toEqual([KEYS_PATH]);
  });

  test('a key URL inside the network is used only if that is configured', async () => {
    trusted = { ...trusted, jwksUri: `${issuer.url}${KEYS_PATH}`, allowPrivateAddress: false };
    expect(await idsFor()).toMatch(/private address/);
    expect(issuer.requests).toEqual([]);
  });

  test('an issuer inside the network is contacted only if that is configured', async () => {
    trusted = { ...trusted, allowPrivateAddress: false };
    expect(await idsFor()).toMatch(/private address/);
    const named = { ...trusted, issuer: issuer.url.replace('127.0.0.1', 'localhost') };
    await expect(keySets.keysFor(named, undefined, nowMs)).rejects.toThrow(/private address/);
    expect(issuer.requests).toEqual([]);
  });
});

test('an address is checked in every notation', async () => {
  const { port } = new URL(trap.url);
  const rules = { allowPrivateAddress: false, maxBytes: 1000, signal: AbortSignal.timeout(2_000) };
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    'localhost',
  ])
    await expect(fetchJson(new URL(`http://${host}:${port}/`), rules), host).rejects.toThrow(/private address/);
  expect(trap.requests).toEqual([]);
});
