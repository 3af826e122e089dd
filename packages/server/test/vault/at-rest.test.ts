import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSealed, openAtRest } from '../../src/vault/at-rest/at-rest.ts';
import { isSealedKind, isSealedType } from '../../src/vault/at-rest/sealed-rows.ts';
import { Secret } from '../../src/vault/keys/secret.ts';

const integrityKey = randomBytes(32);
const open = () => openAtRest(new Secret(new Uint8Array(integrityKey)));
const place = { organizationId: 'o', key: ['records', 'user', 'u'] };
const text = '{"userEmail":"ada@example.com","userName":"Zoë \u{1f511}"}';

describe('rows at rest', () => {
  test('opens what it sealed, also after the vault was opened again', () => {
    const stored = open().atRest.seal(place, text);
    expect(isSealed(stored)).toBe(true);
    expect(stored).not.toContain('ada');
    expect(open().atRest.open(place, stored)).toBe(text);
  });

  test('the same text is sealed differently each time', () => {
    const { atRest } = open();
    expect(atRest.seal(place, text)).not.toBe(atRest.seal(place, text));
  });

  test.each([
    ['another organization', { ...place, organizationId: 'p' }],
    ['another row', { ...place, key: ['records', 'user', 'v'] }],
    ['another kind', { ...place, key: ['records', 'invitation', 'u'] }],
    ['another table', { ...place, key: ['activities', 'user', 'u'] }],
    ['shifted fields', { organizationId: 'o', key: ['records', 'useru', ''] }],
  ])('D333: a ciphertext that was moved to %s does not open', (_, other) => {
    const { atRest } = open();
    const stored = atRest.seal(place, text);
    expect(atRest.open(other, stored)).toBe(stored);
  });

  test.each([
    ['a changed byte', (stored: string) => stored.replace(/.{4}$/, 'AAAA')],
    ['a character that base64 ignores', (stored: string) => `${stored} `],
    ['a cut', (stored: string) => stored.slice(0, -4)],
    ['nothing but the mark', () => 'sealed1.'],
  ])('D333: %s makes it unreadable, so that its MAC fails', (_, edit) => {
    const { atRest } = open();
    const edited = edit(atRest.seal(place, text));
    expect(atRest.open(place, edited)).toBe(edited);
  });

  test('a plain text of an earlier release is returned as it is', () => {
    expect(open().atRest.open(place, text)).toBe(text);
  });

  test('index values are equal for equal values of one organization and kind only', () => {
    const { atRest } = open();
    const value = atRest.indexValue('o', 'suborg.EMAIL', 'ada@example.com');
    expect(open().atRest.indexValue('o', 'suborg.EMAIL', 'ada@example.com')).toBe(value);
    const others = [
      atRest.indexValue('p', 'suborg.EMAIL', 'ada@example.com'),
      atRest.indexValue('o', 'suborg.proven.EMAIL', 'ada@example.com'),
      atRest.indexValue('o', 'suborg.EMAIL', 'eve@example.com'),
    ];
    expect(new Set([value, ...others]).size).toBe(4);
  });

  test('after wiping, nothing is sealed or opened', () => {
    const opened = open();
    const stored = opened.atRest.seal(place, text);
    opened.wipe();
    expect(() => opened.atRest.seal(place, text)).toThrow('wiped');
    expect(() => opened.atRest.open(place, stored)).toThrow('wiped');
  });

  test('signatures are stored plainly, and unknown kinds and types are sealed', () => {
    expect(['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'].map(isSealedType)).toEqual([false, false]);
    expect([isSealedType('ACTIVITY_TYPE_CREATE_USERS_V3'), isSealedType('ACTIVITY_TYPE_OF_THE_FUTURE')]).toEqual([true, true]);
    expect([isSealedKind('user'), isSealedKind('policy'), isSealedKind('toString')]).toEqual([true, false, true]);
  });
});
