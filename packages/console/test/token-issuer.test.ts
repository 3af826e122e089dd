import { describe, expect, test } from 'vitest';
import { issuerOf } from '../src/session/token-issuer.ts';

const tokenOf = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.c2ln`;

describe('D234: who a token is from', () => {
  test('is read from its claims', () => {
    expect(issuerOf(tokenOf('{"iss":"https://issuer.example/ÿ?>"}'))).toBe('https://issuer.example/ÿ?>');
  });

  test.each([
    ['an empty text', ''],
    ['no token', 'abc'],
    ['no base64', 'a.!!.c'],
    ['no JSON', tokenOf('{')],
    ['null', tokenOf('null')],
    ['no issuer', tokenOf('{"sub":"a"}')],
    ['an issuer that is no text', tokenOf('{"iss":["https://issuer.example"]}')],
  ])('is unknown for %s', (_kind, token) => expect(issuerOf(token)).toBeUndefined());
});
