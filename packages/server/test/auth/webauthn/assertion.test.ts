import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { spendVerification } from '../../../src/auth/api-key/decoy.ts';
import type { PasskeyStamp } from '../../../src/auth/api-key/stamp.ts';
import { StampError, type StampErrorReason } from '../../../src/auth/api-key/stamp-error.ts';
import { type AssertionCheck, challengeOf, verifyAssertion } from '../../../src/auth/webauthn/assertion.ts';
import { assertionCheck } from '../assertion-check.ts';
import { toCbor } from '../cbor-writer.ts';
import { lookAlikes } from '../look-alikes.ts';
import {
  ATTESTED,
  BACKED_UP,
  BACKUP_ELIGIBLE,
  EXTENSIONS,
  SoftwareAuthenticator,
  sha256,
  UP,
  UV,
} from '../software-authenticator.ts';

const body = Buffer.from('{"type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","organizationId":"o"}');
const challenge = challengeOf(body);
const key = new SoftwareAuthenticator();

function check(stamp: PasskeyStamp, over: Partial<AssertionCheck> = {}, holder: SoftwareAuthenticator = key): AssertionCheck {
  return assertionCheck(holder, body, stamp, over);
}

function reasonOf(stamp: PasskeyStamp, over: Partial<AssertionCheck> = {}): StampErrorReason {
  try {
    verifyAssertion(check(stamp, over));
  } catch (error) {
    expect(error).toBeInstanceOf(StampError);
    return (error as StampError).reason;
  }
  throw new Error('the stamp was taken');
}

test('the challenge is the ASCII text of the hash', () => {
  const example = '{"organization_id": "1234", "type": "ACTIVITY_TYPE_CREATE_API_KEYS", "params": {"for": "example"}}';
  expect(example).toHaveLength(98);
  expect(Buffer.from(challengeOf(Buffer.from(example)), 'base64url').toString('latin1')).toBe(
    '20f99754275f3d321b0eab1d0e7fa0b4207b08fd5fb694fa611635ff08a0bd8d',
  );
});

describe.each(['ES256', 'RS256'] as const)('%s', (algorithm) => {
  const holder = new SoftwareAuthenticator(algorithm);

  test('a valid stamp returns the counter, and another implementation agrees', async () => {
    const stamp = holder.get(challenge, { counter: 7 });
    expect(verifyAssertion(check(stamp, { requireUserVerification: true }, holder))).toEqual({ counter: 7 });
    const id = stamp.credentialId;
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
    const oracle = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          authenticatorData: text(stamp.authenticatorData),
          clientDataJSON: text(stamp.clientDataJson),
          signature: text(stamp.signature),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: holder.origin,
      expectedRPID: holder.rpId,
      credential: { id, publicKey: Uint8Array.from(holder.publicKeyCose), counter: 0 },
    });
    expect(oracle).toMatchObject({ verified: true, authenticationInfo: { newCounter: 7 } });
  });

  test('a signature of another passkey, or over other bytes, is refused', () => {
    const stamp = holder.get(challenge);
    const stranger = new SoftwareAuthenticator(algorithm, holder.credentialId).get(challenge);
    const bent = Buffer.from(stamp.signature);
    bent[20] = (bent[20] as number) ^ 1;
    for (const bad of [
      stranger,
      { ...stamp, signature: bent },
      { ...stamp, signature: Buffer.concat([stamp.signature, Buffer.of(0)]) },
    ]) {
      expect(() => verifyAssertion(check(bad, {}, holder))).toThrow(expect.objectContaining({ reason: 'BAD_SIGNATURE' }));
    }
  });
});

describe('client data', () => {
  test('members that the standard may add later are accepted', () => {
    const stamp = key.get(challenge, {
      clientData: { other_keys_can_be_added_here: 'do not compare clientDataJSON against a template' },
    });
    expect(verifyAssertion(check(stamp))).toHaveProperty('counter');
  });

  test.each([
    ['another body', challengeOf(Buffer.from('{}'))],
    ['the same body with a space', challengeOf(Buffer.from(`${body} `))],
    ['the hash itself instead of its hex', sha256(body).toString('base64url')],
    ['hex in upper case', Buffer.from(Buffer.from(challenge, 'base64url').toString().toUpperCase()).toString('base64url')],
    ['padding', `${challenge}==`],
    ['nothing', ''],
  ])('D15: a challenge made from %s is refused', (_, wrong) => {
    expect(reasonOf(key.get(wrong))).toBe('WRONG_CHALLENGE');
  });

  test('D15: a matching challenge elsewhere in the client data does not count', () => {
    const wrong = challengeOf(Buffer.from('{}'));
    expect(reasonOf(key.get(wrong, { clientData: { Challenge: challenge, extra: { challenge } } }))).toBe('WRONG_CHALLENGE');
    const twice = `{"type":"webauthn.get","challenge":"${wrong}","challenge":"${challenge}","origin":"${key.origin}"}`;
    expect(reasonOf(key.get(challenge, { clientDataText: twice }))).toBe('MALFORMED_CLIENT_DATA');
  });

  test.each(['webauthn.create', 'payment.get', 'WEBAUTHN.GET', ''])('D16: the type %j is refused', (type) => {
    expect(reasonOf(key.get(challenge, { type }))).toBe('WRONG_CEREMONY');
  });

  test.each(lookAlikes)('D17: the origin %j is refused', (origin) => {
    expect(reasonOf(key.get(challenge, { origin }))).toBe('WRONG_ORIGIN');
  });

  test('A26: without a list, only origins of the relying party are taken', () => {
    const unlisted = { allowedOrigins: 'of-rp-id' } as const;
    expect(verifyAssertion(check(key.get(challenge, { origin: 'https://www.example.com' }), unlisted))).toHaveProperty('counter');
    for (const origin of ['https://example.org', 'https://evil.test', 'https://example.com.evil.test', 'null'])
      expect(reasonOf(key.get(challenge, { origin }), unlisted)).toBe('WRONG_ORIGIN');
  });

  test('a frame of another site is refused', () => {
    expect(reasonOf(key.get(challenge, { clientData: { crossOrigin: true } }))).toBe('CROSS_ORIGIN');
    expect(reasonOf(key.get(challenge, { clientData: { topOrigin: 'https://evil.test' } }))).toBe('CROSS_ORIGIN');
  });

  test.each([
    ['not JSON', 'x'],
    ['a list', '[]'],
    ['null', 'null'],
    ['without an origin', `{"type":"webauthn.get","challenge":"${challenge}"}`],
    ['with a challenge that is not a string', `{"type":"webauthn.get","challenge":1,"origin":"${key.origin}"}`],
    [
      'with a crossOrigin that is not a boolean',
      `{"type":"webauthn.get","challenge":"${challenge}","origin":"${key.origin}","crossOrigin":"false"}`,
    ],
    ['with a byte order mark', `\ufeff{"type":"webauthn.get","challenge":"${challenge}","origin":"${key.origin}"}`],
    ['of 10 KB', JSON.stringify({ type: 'webauthn.get', challenge, origin: key.origin, filler: 'x'.repeat(10_000) })],
  ])('client data that is %s is malformed', (_, clientDataText) => {
    expect(reasonOf(key.get(challenge, { clientDataText }))).toBe('MALFORMED_CLIENT_DATA');
  });
});

describe('authenticator data', () => {
  test.each(['evil.test', 'app.example.com', 'com', ''])('D18: an answer for the relying party %j is refused', (rpId) => {
    expect(reasonOf(key.get(challenge, { rpId }))).toBe('WRONG_RELYING_PARTY');
  });

  test('D19: a person must be present', () => {
    expect(reasonOf(key.get(challenge, { flags: 0 }))).toBe('USER_NOT_PRESENT');
    expect(reasonOf(key.get(challenge, { flags: UV }))).toBe('USER_NOT_PRESENT');
  });

  test('D19: a person must be verified if the organization requires it', () => {
    expect(verifyAssertion(check(key.get(challenge, { flags: UP })))).toHaveProperty('counter');
    expect(reasonOf(key.get(challenge, { flags: UP }), { requireUserVerification: true })).toBe('USER_NOT_VERIFIED');
  });

  test.each([
    [0, 0, true],
    [0, 1, true],
    [5, 6, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [0xffff_fffe, 0xffff_ffff, true],
    [0xffff_ffff, 1, false],
  ])('D20: counter %i, then %i: accepted is %s', (before, counter, taken) => {
    const stamp = key.get(challenge, { counter });
    const authenticator = { ...check(stamp).authenticator, counter: before };
    if (taken) expect(verifyAssertion(check(stamp, { authenticator }))).toEqual({ counter });
    else expect(reasonOf(stamp, { authenticator })).toBe('COUNTER_REGRESSED');
  });

  test('D20: a decreased counter is reported only for a stamp that is otherwise valid', () => {
    const stamp = key.get(challenge, { counter: 1, flags: 0 });
    expect(reasonOf(stamp, { authenticator: { ...check(stamp).authenticator, counter: 9 } })).toBe('USER_NOT_PRESENT');
  });

  const extensions = toCbor(new Map([['uvm', [1]]]));
  test.each<[string, object]>([
    ['extra bytes', { extra: Buffer.of(0) }],
    ['announced but missing extensions', { flags: UP | EXTENSIONS }],
    ['unannounced extensions', { extra: extensions }],
    ['bytes after the extensions', { flags: UP | EXTENSIONS, extra: Buffer.concat([extensions, Buffer.of(0)]) }],
    ['extensions that are not a map', { flags: UP | EXTENSIONS, extra: toCbor([1]) }],
    ['extensions of indefinite length', { flags: UP | EXTENSIONS, extra: Buffer.from('bfff', 'hex') }],
    ['backed up but not eligible for backup', { flags: UP | BACKED_UP }],
    ['an announced but missing credential', { flags: UP | ATTESTED }],
    [
      'a new credential',
      { flags: UP | ATTESTED, extra: Buffer.concat([Buffer.alloc(16), Buffer.of(0, 16), Buffer.alloc(16), key.publicKeyCose]) },
    ],
  ])('authenticator data with %s is malformed', (_, bend) => {
    expect(reasonOf(key.get(challenge, bend))).toBe('MALFORMED_AUTHENTICATOR_DATA');
  });

  test('truncated authenticator data is malformed', () => {
    const stamp = key.get(challenge);
    const authenticatorData = stamp.authenticatorData.subarray(0, 36);
    const signature = key.sign(Buffer.concat([authenticatorData, sha256(stamp.clientDataJson)]));
    expect(reasonOf({ ...stamp, authenticatorData, signature })).toBe('MALFORMED_AUTHENTICATOR_DATA');
  });

  test('A25: a passkey that says otherwise than at its registration whether it can be copied is refused', () => {
    const registered = (backupEligible?: boolean) => ({
      authenticator: { ...check(key.get(challenge)).authenticator, backupEligible },
    });
    const [bound, copied, moved] = [UP | UV, UP | UV | BACKUP_ELIGIBLE, UP | UV | BACKUP_ELIGIBLE | BACKED_UP];
    expect(reasonOf(key.get(challenge, { flags: copied }), registered(false))).toBe('BACKUP_ELIGIBILITY_CHANGED');
    expect(reasonOf(key.get(challenge, { flags: moved }), registered(false))).toBe('BACKUP_ELIGIBILITY_CHANGED');
    expect(reasonOf(key.get(challenge, { flags: bound }), registered(true))).toBe('BACKUP_ELIGIBILITY_CHANGED');
    const taken: [number, boolean | undefined][] = [
      [bound, false],
      [copied, true],
      [moved, true],
      [bound, undefined],
      [moved, undefined],
    ];
    for (const [flags, backupEligible] of taken)
      expect(verifyAssertion(check(key.get(challenge, { flags }), registered(backupEligible)))).toHaveProperty('counter');
  });

  test('well-formed extensions and backup flags are accepted', () => {
    const flags = UP | UV | EXTENSIONS | BACKUP_ELIGIBLE | BACKED_UP;
    expect(verifyAssertion(check(key.get(challenge, { flags, extra: extensions })))).toHaveProperty('counter');
  });
});

test('another credential is never accepted', () => {
  const stamp = key.get(challenge);
  expect(reasonOf({ ...stamp, credentialId: 'b3RoZXI' })).toBe('WRONG_KEY');
});

test('the dummy check neither fails nor accepts', () => {
  expect(spendVerification(key.get(challenge))).toBeUndefined();
});
