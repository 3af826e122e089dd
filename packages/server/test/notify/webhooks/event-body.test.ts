import { intentKey } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventBody } from '../../../src/notify/webhooks/event-body.ts';
import type { ActivityRecord, VoteRecord } from '../../../src/organizations/activities/activity-record.ts';
import { activityRecord, voteRecord } from '../../dialects/activity-record.ts';
import { organizationWith } from './organization.ts';

const SECRET = 'SECRET-7K3M9QX2A';
/** Fields that a receiver must not see. */
const credentials = ['otpCode', 'oidcToken', 'verificationToken', 'clientSignature'];
const verifyOtp = 'ACTIVITY_TYPE_VERIFY_OTP';

const record = (type: string, messages: readonly string[], change: Partial<ActivityRecord> = {}) =>
  activityRecord(
    type,
    messages.map((message) => voteRecord(message)),
    change,
  );

const stamped = (parameters: unknown) => JSON.stringify({ type: verifyOtp, parameters });
const textOf = (value: ActivityRecord) => eventBody(value, organizationWith());

describe('the body of an event', () => {
  test('is the activity as get_activity shows it in the compatible dialect, to a reader without a vote', () => {
    const type = 'ACTIVITY_TYPE_CREATE_WALLET';
    const parameters = { walletName: 'Wallet Ω', accounts: [] };
    const message = JSON.stringify({ type, parameters });
    const result = { walletId: 'w', addresses: [] };
    expect(JSON.parse(textOf(record(type, [message], { result })))).toEqual({
      id: 'a',
      organizationId: 'o',
      status: 'ACTIVITY_STATUS_COMPLETED',
      type,
      intent: { [intentKey('createWallet', type)]: parameters },
      result: { createWalletResult: result },
      votes: [expect.objectContaining({ userId: 'u', activityId: 'a', message, signature: 'ab' })],
      fingerprint: 'sha256:00',
      canApprove: false,
      canReject: false,
      createdAt: { seconds: '1', nanos: '0' },
      updatedAt: { seconds: '2', nanos: '0' },
      failure: null,
    });
  });

  test.each([
    ['otpCode', 'ACTIVITY_TYPE_OTP_AUTH', { otpId: 'i', otpCode: SECRET }, { otpId: 'i', otpCode: '' }],
    ['oidcToken', 'ACTIVITY_TYPE_OAUTH', { oidcToken: SECRET, apiKeyName: 'n' }, { oidcToken: '', apiKeyName: 'n' }],
    ['verificationToken', 'ACTIVITY_TYPE_OTP_LOGIN', { verificationToken: SECRET }, { verificationToken: '' }],
    ['clientSignature', 'ACTIVITY_TYPE_OTP_LOGIN_V2', { clientSignature: { message: SECRET } }, { clientSignature: '' }],
    [
      'oidcToken deep down',
      'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
      { subOrganizationName: 'n', rootUsers: [{ userName: 'u', oauthProviders: [{ providerName: 'p', oidcToken: SECRET }] }] },
      { subOrganizationName: 'n', rootUsers: [{ userName: 'u', oauthProviders: [{ providerName: 'p', oidcToken: '' }] }] },
    ],
  ])('D60: the value of %s is emptied', (_name, type, parameters, shown) => {
    const body = textOf(record(type, [JSON.stringify({ type, parameters })]));
    expect(body).not.toContain('SECRET');
    const { intent, votes } = JSON.parse(body);
    expect(Object.values(intent)).toEqual([shown]);
    expect(votes).toMatchObject([{ message: '', signature: 'ab' }]);
  });

  test.each([
    ['escaped', (key: string) => key.replace('C', '\\u0043').replace('T', '\\u0054')],
    ['escaped throughout', (key: string) => [...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
  ])('D60: a stamped body whose key is %s is not shown either', (_how, write) => {
    for (const name of credentials) {
      const message = `{"type":"${verifyOtp}","parameters":{"otpId":"i","nested":[{"${write(name)}":"${SECRET}"}]}}`;
      expect(JSON.parse(message).parameters.nested[0]).toEqual({ [name]: SECRET });
      expect(textOf(record(verifyOtp, [message]))).not.toContain('SECRET');
    }
  });

  test('only votes that hold a credential lose their body', () => {
    const plain = JSON.stringify({ type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', parameters: { fingerprint: 'sha256:00' } });
    const { votes } = JSON.parse(textOf(record(verifyOtp, [stamped({ otpCode: SECRET }), plain])));
    expect(votes.map(({ message }: VoteRecord) => message)).toEqual(['', plain]);
  });

  test('a value that looks like the name of a credential stays', () => {
    const parameters = { otpId: 'otpCode', publicKey: 'oidcToken' };
    const body = textOf(record(verifyOtp, [stamped(parameters)]));
    expect(JSON.parse(body).intent[intentKey('verifyOtp', verifyOtp)]).toEqual(parameters);
    expect(JSON.parse(body).votes[0].message).toBe(stamped(parameters));
  });

  test('D60: no credential is sent, at any place', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.string(),
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    })).value;
    const bury = (value: unknown, depth: number): unknown =>
      depth === 0 ? value : depth % 2 === 0 ? [1, bury(value, depth - 1)] : { inner: bury(value, depth - 1), other: 2 };
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 8 }), fc.constantFrom(...credentials), (around, depth, name) => {
        const parameters = { around, found: bury({ [name]: bury(SECRET, depth) }, depth) };
        expect(textOf(record(verifyOtp, [stamped(parameters)], { result: parameters }))).not.toContain('SECRET');
      }),
    );
  });
});
