import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStamp, type StampHeaders } from '../../../src/auth/api-key/stamp.ts';
import { STAMP_REFUSED, StampError, type StampErrorReason } from '../../../src/auth/api-key/stamp-error.ts';

const publicKey = `02${'ab'.repeat(32)}`;
const signature = '3006020101020101';
const fields = { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature };

const encode = (text: string) => Buffer.from(text).toString('base64url');
const stampOf = (value: unknown) => encode(JSON.stringify(value));

const passkeyFields = {
  authenticatorData: encode('data'),
  clientDataJson: encode('{}'),
  credentialId: encode('id'),
  signature: encode('sig'),
};

function reasonOf(headers: StampHeaders): StampErrorReason {
  try {
    parseStamp(headers);
  } catch (error) {
    expect(error).toBeInstanceOf(StampError);
    expect((error as StampError).message).toBe(STAMP_REFUSED);
    return (error as StampError).reason;
  }
  throw new Error('the stamp was taken');
}

describe('X-Stamp', () => {
  test('fields in any order give the same stamp', () => {
    const expected = { kind: 'apiKey', publicKey, scheme: fields.scheme, signature: Buffer.from(signature, 'hex') };
    expect(parseStamp({ 'x-stamp': stampOf(fields) })).toEqual(expected);
    expect(parseStamp({ 'x-stamp': [stampOf({ signature, scheme: fields.scheme, publicKey })] })).toEqual(expected);
  });

  test('the dotted form uses the scheme of the registered key', () => {
    const expected = { kind: 'apiKey', scheme: undefined, signature: Buffer.from(signature, 'hex') };
    expect(parseStamp({ 'x-stamp': `${publicKey}.${signature}` })).toEqual({ ...expected, publicKey });
    expect(parseStamp({ 'x-stamp': `${'cd'.repeat(32)}.${signature}` })).toEqual({ ...expected, publicKey: 'cd'.repeat(32) });
  });

  test('D08: an upper-case key is the same credential, in both forms', () => {
    expect(parseStamp({ 'x-stamp': stampOf({ ...fields, publicKey: publicKey.toUpperCase() }) })).toMatchObject({ publicKey });
    expect(parseStamp({ 'x-stamp': `${publicKey.toUpperCase()}.${signature.toUpperCase()}` })).toMatchObject({ publicKey });
  });

  test.each([
    ['uncompressed', `04${'ab'.repeat(64)}`],
    ['hybrid', `06${'ab'.repeat(64)}`],
    ['hybrid prefix on 33 bytes', `06${'ab'.repeat(32)}`],
    ['infinity', '00'],
    ['too short', publicKey.slice(2)],
    ['with 0x', `0x${publicKey}`],
    ['with a space', `${publicKey} `],
    ['empty', ''],
  ])('D08: a public key that is %s is refused', (_, text) => {
    expect(reasonOf({ 'x-stamp': stampOf({ ...fields, publicKey: text }) })).toBe('MALFORMED_PUBLIC_KEY');
  });

  test('D08: the dotted form accepts no other encoding of a key either', () => {
    expect(reasonOf({ 'x-stamp': `06${'ab'.repeat(32)}.${signature}` })).toBe('MALFORMED_PUBLIC_KEY');
    expect(reasonOf({ 'x-stamp': `04${'ab'.repeat(64)}.${signature}` })).toBe('MALFORMED');
  });

  test('D09: a key whose length belongs to another scheme is refused', () => {
    expect(reasonOf({ 'x-stamp': stampOf({ ...fields, scheme: 'SIGNATURE_SCHEME_TK_API_ED25519' }) })).toBe(
      'MALFORMED_PUBLIC_KEY',
    );
    expect(reasonOf({ 'x-stamp': stampOf({ ...fields, publicKey: 'ab'.repeat(32) }) })).toBe('MALFORMED_PUBLIC_KEY');
  });

  test.each(['SIGNATURE_SCHEME_TK_WEBAUTHN', 'SIGNATURE_SCHEME_TK_API_P384', 'signature_scheme_tk_api_p256', 'toString', ''])(
    'D09: the scheme %j is unknown',
    (scheme) => {
      expect(reasonOf({ 'x-stamp': stampOf({ ...fields, scheme }) })).toBe('UNKNOWN_SCHEME');
    },
  );

  test('D02: a name given twice is refused, also as an escaped twin', () => {
    const twice = `{"publicKey":"${publicKey}","publicKey":"${publicKey}","scheme":"${fields.scheme}","signature":"${signature}"}`;
    expect(reasonOf({ 'x-stamp': encode(twice) })).toBe('MALFORMED');
    expect(reasonOf({ 'x-stamp': encode(twice.replace('publicKey', 'public\\u004bey')) })).toBe('MALFORMED');
  });

  test.each<[string, string]>([
    ['an empty header', ''],
    ['padding', `${encode('{"a":"b"}')}=`],
    ['plain JSON', JSON.stringify(fields)],
    ['a space before it', ` ${stampOf(fields)}`],
    ['a line break inside', stampOf(fields).replace(/^(.{10})/, '$1\n')],
    ['the alphabet of plain base64', Buffer.from('{"publicKey":"???>>>"}').toString('base64')],
    ['stray bits in the last letter', `${encode('{}').slice(0, -1)}1`],
    ['two stamps in one value', `${stampOf(fields)}, ${stampOf(fields)}`],
    ['an array', stampOf([publicKey, fields.scheme, signature])],
    ['a text', stampOf('x')],
    ['null', stampOf(null)],
    ['no signature', stampOf({ publicKey, scheme: fields.scheme })],
    ['an extra field', stampOf({ ...fields, userId: 'x' })],
    ['another field instead', stampOf({ publicKey, scheme: fields.scheme, sig: signature })],
    ['a signature that is not a string', stampOf({ ...fields, signature: 1 })],
    ['an empty signature', stampOf({ ...fields, signature: '' })],
    ['a signature with half a byte', stampOf({ ...fields, signature: `${signature}0` })],
    ['a signature with 0x', stampOf({ ...fields, signature: `0x${signature}` })],
    ['bytes after the JSON', encode(`${JSON.stringify(fields)}x`)],
    ['a dot and no signature', `${publicKey}.`],
    ['a dot and no key', `.${signature}`],
    ['two dots', `${publicKey}.${signature}.${signature}`],
    ['half a byte after the dot', `${publicKey}.${signature}0`],
    ['the placeholder of the specification', '<API_KEY>.<API_SECRET>'],
    ['a line break at the end of the dotted form', `${publicKey}.${signature}\n`],
  ])('%s is malformed', (_, header) => {
    expect(reasonOf({ 'x-stamp': header })).toBe('MALFORMED');
  });

  test('a huge header is refused cheaply', () => {
    expect(reasonOf({ 'x-stamp': 'A'.repeat(2_049) })).toBe('TOO_LONG');
    expect(reasonOf({ 'x-stamp-webauthn': 'A'.repeat(8_193) })).toBe('TOO_LONG');
  });
});

describe('X-Stamp-Webauthn', () => {
  const expected = {
    kind: 'passkey',
    credentialId: passkeyFields.credentialId,
    authenticatorData: Buffer.from('data'),
    clientDataJson: Buffer.from('{}'),
    signature: Buffer.from('sig'),
  };

  test('JSON, or its base64url', () => {
    expect(parseStamp({ 'x-stamp-webauthn': JSON.stringify(passkeyFields) })).toEqual(expected);
    expect(parseStamp({ 'x-stamp-webauthn': stampOf(passkeyFields) })).toEqual(expected);
  });

  test.each<[string, string]>([
    ['an empty header', ''],
    ['padded base64url', `${stampOf(passkeyFields)}=`],
    ['an extra field', JSON.stringify({ ...passkeyFields, userHandle: 'x' })],
    ['a missing field', JSON.stringify({ ...passkeyFields, signature: undefined })],
    ['padding inside', JSON.stringify({ ...passkeyFields, signature: 'c2lnbg==' })],
    ['plain base64 inside', JSON.stringify({ ...passkeyFields, clientDataJson: '+/+/' })],
    ['an empty field', JSON.stringify({ ...passkeyFields, credentialId: '' })],
    ['a credential id with stray bits', JSON.stringify({ ...passkeyFields, credentialId: 'aWR' })],
    ['two stamps in one value', `${JSON.stringify(passkeyFields)}, ${JSON.stringify(passkeyFields)}`],
    ['bytes that are not UTF-8', `${JSON.stringify(passkeyFields).slice(0, -1)},"é":"x"}`],
  ])('%s is malformed', (_, header) => {
    expect(reasonOf({ 'x-stamp-webauthn': header })).toBe('MALFORMED');
  });

  test('D15: a second challenge has no place in the header', () => {
    expect(reasonOf({ 'x-stamp-webauthn': JSON.stringify({ ...passkeyFields, challenge: 'x' }) })).toBe('MALFORMED');
    expect(reasonOf({ 'x-stamp-webauthn': JSON.stringify(passkeyFields).replace('{', '{"clientDataJson":"e30",') })).toBe(
      'MALFORMED',
    );
  });
});

describe('D10: one stamp, sent once', () => {
  test.each<[string, StampHeaders, StampErrorReason]>([
    ['none', {}, 'MISSING'],
    ['an empty list', { 'x-stamp': [] }, 'MISSING'],
    ['both headers', { 'x-stamp': stampOf(fields), 'x-stamp-webauthn': JSON.stringify(passkeyFields) }, 'AMBIGUOUS'],
    ['both headers, one empty', { 'x-stamp': '', 'x-stamp-webauthn': JSON.stringify(passkeyFields) }, 'AMBIGUOUS'],
    ['X-Stamp twice', { 'x-stamp': [stampOf(fields), stampOf(fields)] }, 'AMBIGUOUS'],
    [
      'X-Stamp-Webauthn twice',
      { 'x-stamp-webauthn': [JSON.stringify(passkeyFields), JSON.stringify(passkeyFields)] },
      'AMBIGUOUS',
    ],
    [
      'X-Stamp twice, with the other header',
      { 'x-stamp': ['', ''], 'x-stamp-webauthn': JSON.stringify(passkeyFields) },
      'AMBIGUOUS',
    ],
  ])('%s', (_, headers, reason) => {
    expect(reasonOf(headers)).toBe(reason);
  });
});

test('any headers lead to a stamp or a StampError', () => {
  const value = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map(encode),
    fc.json(),
    fc.constant(undefined),
    fc.array(fc.string()),
  );
  fc.assert(
    fc.property(value, value, (apiKey, passkey) => {
      expect(() => parseStamp({ 'x-stamp': apiKey, 'x-stamp-webauthn': passkey })).toThrow(StampError);
    }),
  );
});

test.each(['MISSING', 'WRONG_KEY', 'BAD_SIGNATURE', 'COUNTER_REGRESSED'] as const)(
  '%s is for the log, and the caller sees one text for every reason',
  (reason) => {
    expect(new StampError(reason)).toMatchObject({ name: 'StampError', reason, message: STAMP_REFUSED });
  },
);
