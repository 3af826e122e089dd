import { formatVerifierKey, type SignerKey, verifierKeyOf } from '@countersign/tlog';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';

const keyOf = (name: string, type: SignerKey['type'] = 'cosignature') =>
  formatVerifierKey(verifierKeyOf({ name, type, seed: new Uint8Array(32).fill(3) }));
const read = (text: string) => readConfig({ witnesses: text }, {}).witnesses;

describe('witnesses', () => {
  test('are addresses with keys, comma-separated', () => {
    const found = read(`https://w.example/one/#${keyOf('w.example/one')}, http://10.0.0.1:8788#${keyOf('two')}`);
    expect(found.map(({ url, key }) => [url, key.name])).toEqual([
      ['https://w.example/one', 'w.example/one'],
      ['http://10.0.0.1:8788', 'two'],
    ]);
    expect(read('')).toEqual([]);
  });

  test.each([
    ['no key', 'https://w.example'],
    ['no address', `#${keyOf('one')}`],
    ['another protocol', `ftp://w.example#${keyOf('one')}`],
    ['a password in the address', `https://a:b@w.example#${keyOf('one')}`],
    ['a query', `https://w.example/?a#${keyOf('one')}`],
    ['the key of a log', `https://w.example#${keyOf('one', 'ed25519')}`],
    ['a key that was mistyped', `https://w.example#${keyOf('one').replace('+', '+0')}`],
    ['one name twice', `https://a.example#${keyOf('one')},https://b.example#${keyOf('one')}`],
  ])('%s is refused', (_, text) => {
    expect(() => read(text)).toThrow('--witnesses must be <address>#<key');
  });
});
