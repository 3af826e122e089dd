import { describe, expect, test } from 'vitest';
import { isAllowedOrigin, matchRpId } from '../../../src/auth/webauthn/relying-party.ts';
import { lookAlikes } from '../look-alikes.ts';
import { sha256 } from '../software-authenticator.ts';

describe('D17: origins', () => {
  test('only the exact allowed origin matches', () => {
    const listed = ['https://other.test', 'https://app.example.com'];
    expect(isAllowedOrigin('https://app.example.com', listed, 'example.com')).toBe(true);
    expect(isAllowedOrigin('https://app.example.com', [], 'example.com')).toBe(false);
    expect(isAllowedOrigin('https://www.example.com', listed, 'example.com')).toBe(false);
  });

  test.each(lookAlikes)('%j is another origin', (origin) => {
    expect(isAllowedOrigin(origin, ['https://app.example.com'], 'example.com')).toBe(false);
  });

  test.each([
    ['https://example.com', 'example.com'],
    ['https://app.example.com', 'example.com'],
    ['https://app.example.com:8443', 'example.com'],
    ['https://xn--pp-7kc.example.com', 'example.com'],
    ['http://localhost', 'localhost'],
    ['http://localhost:3000', 'localhost'],
    ['http://app.localhost:3000', 'app.localhost'],
  ])('without a list, %s is allowed for the relying party %s', (origin, rpId) => {
    expect(isAllowedOrigin(origin, 'of-rp-id', rpId)).toBe(true);
  });

  test.each([
    ['https://evil.test', 'example.com'],
    ['https://notexample.com', 'example.com'],
    ['https://example.com.evil.test', 'example.com'],
    ['https://example.com', 'app.example.com'],
    ['https://www.example.com', 'app.example.com'],
    ['http://localhost', 'example.com'],
    ['http://example.com.localhost', 'example.com'],
    ['https://example.com', ''],
  ])('A26: without a list, %s is refused for the relying party %j', (origin, rpId) => {
    expect(isAllowedOrigin(origin, 'of-rp-id', rpId)).toBe(false);
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
  ])('%j is refused without a list, whatever the relying party', (origin) => {
    for (const rpId of ['example.com', 'app.example.com', '127.0.0.1', '[::1]', 'notlocalhost', 'abcdefghijklmnop', ''])
      expect(isAllowedOrigin(origin, 'of-rp-id', rpId)).toBe(false);
  });

  test('an app’s origin is allowed if it is listed', () => {
    expect(isAllowedOrigin('android:apk-key-hash:abc', ['android:apk-key-hash:abc'], 'example.com')).toBe(true);
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
