import { createECDH, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encryptPush, MAX_PAYLOAD_BYTES } from '../../../src/notify/push/encrypt.ts';
import { TestBrowser } from './browser.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

/** RFC 8291, section 5 and appendix A. */
const rfc8291 = {
  plaintext: 'When I grow up, I want to be a watermelon',
  privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  browserKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('encryption of push messages', () => {
  test('gives the bytes of RFC 8291, and the browser of the RFC reads them', () => {
    const { plaintext, browserKey, p256dh, auth, privateKey, salt, body } = rfc8291;
    const made = encryptPush(Buffer.from(plaintext), { p256dh, auth }, { privateKey, salt }, 0);
    expect(made.toString('base64url')).toBe(body);
    const browser = new TestBrowser(browserKey, auth);
    expect(browser.publicKey.equals(p256dh)).toBe(true);
    expect(browser.decrypt(bytes(body))).toBe(plaintext);
  });

  test('any text comes back, padded to one length and with keys of its own', () => {
    const browser = new TestBrowser();
    const keys = { p256dh: browser.publicKey, auth: browser.auth };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (given) => {
        const text = Buffer.from(given).toString();
        const [first, second] = [encryptPush(Buffer.from(text), keys), encryptPush(Buffer.from(text), keys)];
        expect(browser.decrypt(first)).toBe(text);
        expect(first.length).toBe(second.length);
        expect(first.subarray(0, 86).equals(second.subarray(0, 86))).toBe(false);
      }),
      { numRuns: 25 },
    );
    const lengths = ['', 'a', 'x'.repeat(2_000)].map((text) => encryptPush(Buffer.from(text), keys).length);
    expect(new Set(lengths).size).toBe(1);
  });

  test('the longest message is a body of 4096 bytes, and a longer one is refused', () => {
    const browser = new TestBrowser();
    const keys = { p256dh: browser.publicKey, auth: browser.auth };
    const longest = Buffer.alloc(MAX_PAYLOAD_BYTES, 'a');
    expect(encryptPush(longest, keys).length).toBe(4_096);
    expect(browser.decrypt(encryptPush(longest, keys))).toBe(longest.toString());
    expect(() => encryptPush(Buffer.alloc(MAX_PAYLOAD_BYTES + 1), keys)).toThrow(RangeError);
  });

  test('another browser, another secret and an altered byte read nothing', () => {
    const browser = new TestBrowser();
    const body = encryptPush(Buffer.from('secret'), { p256dh: browser.publicKey, auth: browser.auth });
    expect(() => new TestBrowser(undefined, browser.auth).decrypt(body)).toThrow();
    const elsewhere = encryptPush(Buffer.from('secret'), { p256dh: browser.publicKey, auth: randomBytes(16) });
    expect(() => browser.decrypt(elsewhere)).toThrow();
    fc.assert(
      fc.property(fc.integer({ min: 86, max: body.length - 1 }), (at) => {
        const altered = Buffer.from(body);
        altered[at] = (altered[at] ?? 0) ^ 1;
        expect(() => browser.decrypt(altered)).toThrow();
      }),
      { numRuns: 25 },
    );
  });

  test('nothing is encrypted to what is not a point of the curve', () => {
    const other = createECDH('secp256k1');
    for (const p256dh of [Buffer.alloc(65, 4), Buffer.alloc(65), other.generateKeys(), Buffer.alloc(0)])
      expect(() => encryptPush(Buffer.from('secret'), { p256dh, auth: randomBytes(16) })).toThrow();
  });
});
