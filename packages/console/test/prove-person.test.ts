import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { expect, test } from 'vitest';
import { personName, voterName } from '../src/review/person-name.ts';
import type { Statement } from '../src/review/proof/prove-activity.ts';
import { provePerson, type Vote } from '../src/review/proof/prove-person.ts';
import { createProver } from '../src/review/proof/prove-record.ts';
import { isSameKey } from '../src/review/proof/verify-vote.ts';

const { secretKey } = p256.keygen();
const publicKey = bytesToHex(p256.getPublicKey(secretKey));
const message = '{"type":"ACTIVITY_TYPE_SIGN_TRANSACTION_V2"}';
const signature = bytesToHex(p256.sign(sha256(utf8ToBytes(message)), secretKey, { format: 'der', prehash: false, lowS: false }));
const vote = {
  ...{ userId: 'bob', user: { userName: 'Bob' }, publicKey, message, signature },
  scheme: 'SIGNATURE_SCHEME_TK_API_P256',
} as Vote;

type Change = Statement['changes'][number];
const user = (userName: string, id = 'bob'): Change => ({ put: 'user', id, body: { userName } });
const key = (userId: string, put = 'apiKey'): Change => ({ put, id: 'key', body: { userId, publicKey } });
const proven = (...changes: Change[]): Statement => ({ changes, isProven: true });
const claimed = (...changes: Change[]): Statement => ({ changes, isProven: false });

/** The state of a vote with some evidence, of which each part is about the user and the key. */
const stateOf = async (statements: readonly Statement[], more: object = {}) =>
  (await provePerson({ ...vote, ...more } as Vote, async () => statements)).state;

test('D1111: a name is proven if the log has the user with this name and with the key of the stamp', async () => {
  expect(await stateOf([proven(user('Bob'), key('bob'))])).toBe('proven');
  expect(await stateOf([proven(user('Robert')), proven(user('Bob')), proven(key('bob'))])).toBe('proven');
});

test('D1111: a name that the log contradicts is altered', async () => {
  expect(await stateOf([proven(user('Robert'), key('bob'))])).toBe('altered');
  // Evidence that says the same as an altered response is itself altered.
  expect(await stateOf([claimed(user('Bob'), key('bob'))])).toBe('altered');
  expect(await stateOf([proven(user('Bob')), proven(user('Eve', 'eve'), key('eve'))])).toBe('altered');
  expect(await stateOf([proven(user('Bob'), key('bob'))], { signature: signature.slice(0, -2) })).toBe('altered');
});

test('D1111: a name without enough evidence is not proven', async () => {
  expect(await stateOf([])).toBe('unproven');
  expect(await stateOf([proven(user('Bob'))])).toBe('unproven');
  expect(await stateOf([proven(key('bob'))])).toBe('unproven');
  expect(await stateOf([proven(user('Bob'), key('bob', 'oauthProvider'))])).toBe('unproven');
  // Of another user.
  expect(await stateOf([proven(user('Bob', 'eve'), key('bob'))])).toBe('unproven');
  // The service hides a message with a secret, and a passkey of another domain cannot be verified here.
  expect(await stateOf([proven(user('Bob'), key('bob'))], { message: '' })).toBe('unproven');
  const passkey = { scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN', signature: 'e30' };
  expect(await stateOf([proven(user('Bob'), key('bob'))], passkey)).toBe('unproven');
});

test('D1111: people are shown by proven names, and others by marked names or ids', () => {
  const bob = { userId: 'bob', name: 'Bob', publicKey } as const;
  expect(personName({ ...bob, state: 'proven' })).toBe('Bob');
  expect(personName({ ...bob, state: 'altered' })).toBe('bob');
  expect(personName({ ...bob, state: 'unproven' })).toBe('“Bob” (name not proven)');
  expect(voterName([{ ...bob, state: 'proven' }], vote)).toBe('Bob');
  expect(voterName([{ ...bob, state: 'proven' }], { ...vote, publicKey: 'another' })).toBe('“Bob” (name not proven)');
  expect(voterName([{ ...bob, state: 'proven' }], { ...vote, userId: 'eve' })).toBe('“Bob” (name not proven)');
  expect(voterName(undefined, vote)).toBe('“Bob” (name not proven)');
});

test('a public key of a passkey is the same in all its forms', () => {
  const point = p256.Point.fromHex(publicKey).toHex(false);
  const cose = `a5010203262001215820${point.slice(2, 66)}225820${point.slice(66)}`;
  const base64Url = Buffer.from(cose, 'hex').toString('base64url');
  for (const form of [publicKey, cose, base64Url]) expect(isSameKey(form, publicKey)).toBe(true);
  expect(isSameKey(bytesToHex(p256.getPublicKey(p256.keygen().secretKey)), publicKey)).toBe(false);
  expect(isSameKey('', publicKey)).toBe(false);
});

test.each([
  ['SIGNATURE_SCHEME_TK_WEBAUTHN', 'unproven'],
  ['SIGNATURE_SCHEME_TK_API_P256', 'altered'],
])('D1111: evidence whose stamp cannot be verified, with the scheme %s: %s', async (scheme, state) => {
  const prover = createProver({ organizationId: 'o' } as never, async () => ({ text: '', state: 'known' }) as never);
  const votes = [{ message: '{}', scheme, publicKey: 'aa', signature: 'e30' }];
  const activity = { id: 'a', organizationId: 'o', type: 'ACTIVITY_TYPE_CREATE_USERS_V3', fingerprint: 'sha256:0', votes };
  const content = JSON.stringify({ result: {}, changed: { changes: [user('Bob'), key('bob')] } });
  prover.add([{ activity, content } as never]);
  expect((await prover.person(vote)).state).toBe(state);
});
