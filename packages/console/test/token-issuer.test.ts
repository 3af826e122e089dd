import { describe, expect, test } from 'vitest';
import { issuerOf } from '../src/session/token-issuer.ts';

const tokenOf = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.c2ln`;

describe('D234: issuerOf', () => {
  test('returns the issuer claim', () => {
    expect(issuerOf(tokenOf('{"iss":"https://issuer.example/ÿ?>"}'))).toBe('https://issuer.example/ÿ?>');
  });

  test.each([
    ['an empty text', ''],
    ['text that is not a token', 'abc'],
    ['invalid base64', 'a.!!.c'],
    ['invalid JSON', tokenOf('{')],
    ['null', tokenOf('null')],
    ['a missing issuer', tokenOf('{"sub":"a"}')],
    ['an issuer that is not a string', tokenOf('{"iss":["https://issuer.example"]}')],
  ])('returns undefined for %s', (_kind, token) => expect(issuerOf(token)).toBeUndefined());
});
