import { describe, expect, test } from 'vitest';
import { explorerLink } from '../src/data/explorer-link.ts';

const CHAIN = 'eip155:1';
const HASH = `0x${'ab'.repeat(32)}`;
const link = (template: string, hash = HASH, chain: unknown = CHAIN) => explorerLink({ [CHAIN]: template }, chain, hash);

describe('links to explorers', () => {
  test('contain the hash', () => {
    expect(link('https://explorer.example.com/tx/{hash}?tab=1')).toBe(`https://explorer.example.com/tx/${HASH}?tab=1`);
  });

  test('exist for the chains that the operator names', () => {
    expect(link('https://explorer.example.com/tx/{hash}', HASH, 'eip155:10')).toBeUndefined();
    expect(link('https://explorer.example.com/tx/{hash}', HASH, 'constructor')).toBeUndefined();
    expect(link('https://explorer.example.com/tx/{hash}', HASH, null)).toBeUndefined();
  });

  test('D980: no answer makes a link to another place', () => {
    for (const hash of [
      `${HASH}/../../other`,
      `${HASH}?a=b`,
      `${HASH}#`,
      `//evil.example/${HASH}`,
      `$&${HASH}`,
      '',
      '\u202e'.repeat(40),
    ])
      expect(link('https://explorer.example.com/tx/{hash}', hash)).toBeUndefined();
    for (const template of ['http://explorer.example.com/{hash}', 'javascript:alert(1)//{hash}', 'data:text/html,{hash}'])
      expect(link(template)).toBeUndefined();
  });
});
