import { describe, expect, test } from 'vitest';
import { isAllowedOrigin, matchRpId } from '../../src/auth/relying-party.ts';
import { lookAlikes } from './look-alikes.ts';
import { sha256 } from './software-authenticator.ts';

describe('D17: origins', () => {
  test('only the exact allowed origin matches', () => {
    expect(isAllowedOrigin('https://app.example.com', ['https://other.test', 'https://app.example.com'])).toBe(true);
    expect(isAllowedOrigin('https://app.example.com', [])).toBe(false);
  });

  test.each(lookAlikes)('%j is another origin', (origin) => {
    expect(isAllowedOrigin(origin, ['https://app.example.com'])).toBe(false);
  });

  test.each([
    'https://app.example.com',
    'https://app.example.com:8443',
    'https://xn--pp-7kc.example.com',
    'http://localhost',
    'http://localhost:3000',
    'http://app.localhost:3000',
  ])('%s is allowed where any origin is', (origin) => {
    expect(isAllowedOrigin(origin, 'any')).toBe(true);
  });

  test.each([
    'null',
    '',
    'http://app.example.com',
    'https://app.example.com.',
    'https://APP.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://аpp.example.com',
    'https://127.0.0.1',
    'https://[::1]',
    'http://notlocalhost',
    'file:///etc/passwd',
    'android:apk-key-hash:abc',
    'chrome-extension://abcdefghijklmnop',
  ])('%j is refused even where any origin is allowed', (origin) => {
    expect(isAllowedOrigin(origin, 'any')).toBe(false);
  });

  test('an app’s origin is allowed if it is listed', () => {
    expect(isAllowedOrigin('android:apk-key-hash:abc', ['android:apk-key-hash:abc'])).toBe(true);
  });
});

describe('D18: relying parties', () => {
  test('one of the listed ids matches', () => {
    expect(matchRpId(sha256('example.com'), 'https://other.test', ['other.test', 'example.com'])).toBe('example.com');
    expect(matchRpId(sha256('example.com'), 'https://example.com', ['other.test'])).toBeUndefined();
  });

  test.each(['a.b.example.com', 'b.example.com', 'example.com'])('an origin may claim %s', (rpId) => {
    expect(matchRpId(sha256(rpId), 'https://a.b.example.com:8443', 'of-origin')).toBe(rpId);
  });

  test.each(['com', '', 'evil.test', 'x.a.b.example.com', 'xample.com', 'Example.com'])('an origin may not claim %j', (rpId) => {
    expect(matchRpId(sha256(rpId), 'https://a.b.example.com', 'of-origin')).toBeUndefined();
  });

  test('localhost may claim itself, an app nothing', () => {
    expect(matchRpId(sha256('localhost'), 'http://localhost:3000', 'of-origin')).toBe('localhost');
    expect(matchRpId(sha256('localhost'), 'android:apk-key-hash:abc', 'of-origin')).toBeUndefined();
  });
});
