import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { readTransitKey, transitRootKey } from '../../../src/vault/root-key/providers/transit.ts';
import { temporaryDirectory } from '../support.ts';
import { describeRootKeyProvider } from './provider-suite.ts';
import { TransitServer } from './transit-server.ts';

const WRONG = 's.the-token-of-a-stranger';

async function start(directory: string) {
  const server = new TransitServer();
  const origin = await server.listen();
  onTestFinished(() => server.close());
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content, { mode: 0o600 });
    return join(directory, name);
  };
  const transitTokenFile = file('token', server.token);
  const transitCaFile = file('ca.pem', server.certificate);
  const key = (name: string, tokenFile = transitTokenFile) =>
    readTransitKey({ transitUrl: `${origin}/v1/transit/keys/${name}`, transitTokenFile: tokenFile, transitCaFile });
  return { server, key, wrongTokenFile: file('wrong-token', WRONG) };
}

describeRootKeyProvider('transit (protocol server)', async ({ directory }) => {
  const { server, key, wrongTokenFile } = await start(directory);
  const until = (state: 'sealed' | 'silent') => async () => {
    server.state = state;
    return async () => {
      server.state = 'serving';
    };
  };
  return {
    node: () => transitRootKey(key('root')),
    withWrongCredentials: () => transitRootKey(key('root', wrongTokenFile)),
    wrongSecret: WRONG,
    next: () => ({ target: transitRootKey(key('root-2')), after: transitRootKey(key('root-2')) }),
    lose: until('sealed'),
    stall: until('silent'),
  };
});

describe('a key of a transit engine', () => {
  const begin = async () => start(await temporaryDirectory());

  test('D552: an engine that ignores associated data is refused, so that no row can move to another organization', async () => {
    const { server, key } = await begin();
    server.ignoresAssociatedData = true;
    await expect(transitRootKey(key('root')).create()).rejects.toThrow('does not bind associated data');
    server.ignoresAssociatedData = false;
    await expect(transitRootKey(key('root')).create()).resolves.toMatchObject({ isRemote: true });
  });

  test('D551: a key that can be exported is refused', async () => {
    const { server, key } = await begin();
    server.keys.set('root', { bytes: Buffer.alloc(32, 1), exportable: true });
    await expect(transitRootKey(key('root')).create()).rejects.toThrow('can be exported');
  });

  test('a key that was deleted in the engine is an outage, not tampering', async () => {
    const { server, key } = await begin();
    const rootKey = await transitRootKey(key('root')).create();
    const wrapped = await rootKey.wrap(new Uint8Array(32), 'context');
    server.keys.delete('root');
    await expect(rootKey.unwrap(wrapped, 'context')).rejects.toMatchObject({ name: 'RootKeyUnavailable' });
  });

  test('D552: a server that its authority did not sign is not sent a token', async () => {
    const { key } = await begin();
    const { caFile: _, ...withoutAuthority } = key('root');
    await expect(transitRootKey(withoutAuthority).create()).rejects.toThrow('does not respond');
  });

  test.each([
    ['plain HTTP to another machine', 'http://vault.example.com/v1/transit/keys/root'],
    ['a password in the address', 'https://user:secret@vault.example.com/v1/transit/keys/root'],
    ['no key', 'https://vault.example.com/v1/transit'],
    ['a query', 'https://vault.example.com/v1/transit/keys/root?x=1'],
  ])('D552: %s is rejected', (_, transitUrl) => {
    expect(() => readTransitKey({ transitUrl, transitTokenFile: '/run/token' })).toThrow(ConfigError);
  });

  test('plain HTTP to this machine, for an agent, and a mount with several parts are accepted', () => {
    const { mount, name } = readTransitKey({ transitUrl: 'http://127.0.0.1:8100/v1/a/b/keys/root', transitTokenFile: '/t' });
    expect({ mount, name }).toEqual({ mount: 'a/b', name: 'root' });
  });
});
