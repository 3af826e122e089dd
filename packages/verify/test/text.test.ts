import { constants, createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuditError } from '../src/audit-error.ts';
import { splitLines } from '../src/split-lines.ts';
import { readDerSignature } from '../src/stamps/der-signature.ts';
import { verifyRs256 } from '../src/stamps/rs256.ts';
import { fromBase64Url, fromHex, toBase64Url } from '../src/text.ts';

describe('texts have one spelling', () => {
  test('base64url is read as it is written, and in no other way', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(toBase64Url(bytes)).toBe(text);
        expect(fromBase64Url(text, 'it')).toEqual(bytes);
      }),
    );
    for (const text of ['A', 'AB', 'AAB', 'AA==', 'A+B/', 'A A'])
      expect(() => fromBase64Url(text, 'it'), text).toThrow(AuditError);
  });

  test('hexadecimal in upper case, or half a byte, is refused', () => {
    for (const text of ['AB', 'a', '0x00', 'zz']) expect(() => fromHex(text, 'it'), text).toThrow(AuditError);
  });

  test('a signature in DER has one form', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const der = createSign('sha256').update('x').sign(privateKey);
    const compact = readDerSignature(der) as Uint8Array;
    expect(compact).toHaveLength(64);
    expect(readDerSignature(Buffer.concat([der, Buffer.of(0)]))).toBeUndefined();
    expect(readDerSignature(Buffer.concat([Buffer.of(0x30, 0x81, der.length - 2), der.subarray(2)]))).toBeUndefined();
    expect(readDerSignature(Buffer.from('3006020100020101', 'hex'))).toBeUndefined();
    expect(readDerSignature(Buffer.from('300702020001020101', 'hex'))).toBeUndefined();
  });

  test('a line may come in parts, and must come whole', async () => {
    const all = async (parts: Uint8Array[]) => {
      const lines: string[] = [];
      for await (const line of splitLines(parts)) lines.push(line);
      return lines;
    };
    const read = (...parts: string[]) => all(parts.map((part) => Buffer.from(part)));
    await expect(read('a', 'b\nc', 'd\n')).resolves.toEqual(['ab', 'cd']);
    await expect(read('a\nb')).rejects.toThrow(/truncated/);
    await expect(all([Buffer.of(0xff, 0x0a)])).rejects.toThrow(/UTF-8/);
  });
});

test('signatures of RSA passkeys are checked as OpenSSL checks them', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')];
  const key = `0100${modulus.toString('hex')}21${(0x40 + exponent.length).toString(16)}${exponent.toString('hex')}`;
  const message = Buffer.from('stamped');
  const signature = createSign('sha256').update(message).sign({ key: privateKey, padding: constants.RSA_PKCS1_PADDING });
  expect(verifyRs256(key, message, signature)).toBe(true);
  expect(verifyRs256(key, Buffer.from('other'), signature)).toBe(false);
  signature[9] = (signature[9] as number) ^ 1;
  expect(verifyRs256(key, message, signature)).toBe(false);
});
