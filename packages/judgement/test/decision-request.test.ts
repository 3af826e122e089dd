import { activities } from '@countersign/contract';
import { authorizeByPolicy, toDecisionRequest } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../server/src/organizations/records.ts';
import { HOUR, judgement, NOW, organization, vote } from './support/world.ts';

const where = organization([{ id: 'a' }, { id: 'b' }], {}, { threshold: 2, userIds: ['a', 'b'] });
const dates = { createdAtMs: 0, updatedAtMs: 0 };

const wallet: Resource<'wallet'> = {
  kind: 'wallet',
  id: 'w',
  parentId: '',
  body: { walletName: 'Treasury', exported: false, imported: true, ...dates },
  mac: new Uint8Array(),
};
const privateKey: Resource<'privateKey'> = {
  kind: 'privateKey',
  id: 'k',
  parentId: '',
  body: {
    privateKeyName: 'Cold',
    curve: 'CURVE_SECP256K1',
    publicKey: '02',
    addresses: [],
    privateKeyTags: ['t'],
    exported: true,
    imported: false,
    ...dates,
  },
  mac: new Uint8Array(),
};
const account: Resource<'walletAccount'> = {
  kind: 'walletAccount',
  id: 'x',
  parentId: 'w',
  body: {
    walletId: 'w',
    curve: 'CURVE_SECP256K1',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    publicKey: '02',
    ...dates,
  },
  mac: new Uint8Array(),
};
const parsed = {
  namespace: 'eth.tx',
  policy: { value: 1n },
  effects: [],
  description: '',
  fullyParsed: false,
  unparsed: ['data'],
} as const;

describe('a decision request for the policy language', () => {
  test('the activity has type, kind, resource, action and its parameters', () => {
    const params = {
      signWith: 'k',
      payload: 'text',
      hashFunction: 'HASH_FUNCTION_NO_OP',
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    };
    const request = toDecisionRequest(judgement(where, [vote('a')], { params }));
    const { params: read, given, added, removed, ...words } = request.activity;
    expect(words).toEqual({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      kind: 'SIGN_RAW_PAYLOAD',
      resource: 'PRIVATE_KEY',
      action: 'SIGN',
    });
    expect(['hash_function', 'encoding', 'payload', 'user_id'].map((name) => read?.(name))).toEqual([
      'HASH_FUNCTION_NO_OP',
      'PAYLOAD_ENCODING_TEXT_UTF8',
      'text',
      undefined,
    ]);
    expect(given?.()).toEqual(['sign_with', 'payload', 'encoding', 'hash_function']);
    expect(request).toMatchObject({ now: NOW, rootQuorum: { threshold: 2 }, rootQuorumOnly: false, selfService: false });
  });

  test('what the executor made of a parameter stands in place of what was sent, and is not given', () => {
    const params = { targetPublicKey: 'none' };
    const subject = { parameters: () => ({ userId: 'b', email: 'B@example.com' }) };
    const definition = activities.createReadWriteSession as never;
    const { activity } = toDecisionRequest(judgement(where, [vote('a')], { definition, params, subject }));
    expect(activity.params?.('user_id')).toBe('b');
    expect(activity.params?.('email')).toBe('b@example.com');
    expect(activity.params?.('target_public_key')).toBeUndefined();
    expect(activity.given?.()).toEqual(['target_public_key']);
  });

  test('parameters cost nothing until a policy asks for one', () => {
    const subject = {
      parameters: () => {
        throw new Error('nobody asked');
      },
    };
    const request = toDecisionRequest(judgement(where, [vote('a')], { subject }));
    expect(authorizeByPolicy.decide(judgement(where, [vote('a')], { subject })).outcome).toBe('NEEDS_CONSENSUS');
    expect(() => request.activity.params?.('sign_with')).toThrow('nobody asked');
  });

  test('an activity for the root quorum only has nothing that a policy could name', () => {
    const request = toDecisionRequest(judgement(where, [vote('a')], { definition: activities.updateRootQuorum }));
    expect(request).toMatchObject({ rootQuorumOnly: true, activity: { type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM' } });
    expect(Object.keys(request.activity)).toEqual(['type']);
  });

  test('approvers are the users whose approval counts, each with the credential used', () => {
    const expired = vote('b', { createdAtMs: NOW - 25 * HOUR });
    const { approvers, credentials, organizationUsers } = toDecisionRequest(judgement(where, [vote('a'), expired]));
    expect(approvers.map(({ id }) => id)).toEqual(['a']);
    expect(credentials.map(({ id }) => id)).toEqual(['a-key']);
    expect([...organizationUsers.keys()]).toEqual(['a', 'b']);
  });

  test('a key, its wallet and the signed content are separate namespaces', () => {
    const named = (subject: object) => {
      const request = toDecisionRequest(judgement(where, [vote('a')], { subject }));
      const { contacts: _, 'tx.is_payment': isPayment, 'tx.payments': payments, ...namespaces } = request.namespaces;
      expect(typeof isPayment === 'function' ? isPayment() : isPayment).toBe(false);
      expect(typeof payments === 'function' ? payments() : payments).toBeUndefined();
      return Object.fromEntries(
        Object.entries(namespaces).map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
      );
    };
    expect(named({})).toEqual({});
    expect(named({ key: privateKey })).toEqual({
      private_key: { id: 'k', tags: ['t'], imported: false, exported: true, label: 'Cold' },
    });
    const shownWallet = { id: 'w', imported: true, exported: false, label: 'Treasury' };
    const address = account.body.address.toLowerCase();
    expect(named({ key: account, wallet })).toEqual({ wallet_account: { address }, wallet: shownWallet });
    expect(named({ wallets: [wallet] })).toEqual({ wallets: [shownWallet] });
    expect(named({ parsed })).toEqual({
      'eth.tx': { value: 1n },
      tx: { fully_parsed: false, understood: false },
      effects: [{ kind: 'UNKNOWN', what: 'a message whose effects are not listed', bytes: 0n }],
    });
    const learned = { ...parsed, fullyParsed: true, unparsed: [], fullyParsedByInterfaces: false };
    expect(named({ parsed: learned }), 'D67').toMatchObject({ tx: { fully_parsed: false } });
    const typed = { ...parsed, namespace: 'eth.eip_712' };
    expect(Object.keys(named({ parsed: typed }))).toEqual(['eth.eip_712', 'effects']);
  });

  describe('D54: self-service', () => {
    const own = (votes: ReturnType<typeof vote>[], userId: string | undefined, definition = activities.createApiKeys) => {
      const touches = userId === undefined ? [] : [{ what: 'API_KEY', userId } as const];
      return toDecisionRequest(judgement(where, votes, { definition: definition as never, subject: { touches } })).selfService;
    };

    test('is a submitter who changes their own credentials', () => {
      expect(own([vote('a')], 'a')).toBe(true);
      expect(own([vote('a')], 'b')).toBe(false);
      expect(own([vote('a')], undefined)).toBe(false);
      expect(own([vote('a')], 'a', activities.signRawPayload as never)).toBe(false);
    });

    test('is not an approval of another user’s request, even if no other approval counts', () => {
      const lapsed = vote('a', { createdAtMs: NOW - 25 * HOUR });
      expect(own([lapsed, vote('b')], 'b')).toBe(false);
      expect(own([lapsed, vote('b')], 'a')).toBe(false);
      expect(own([lapsed, vote('a', { id: 'renewed' })], 'a')).toBe(true);
      expect(own([], 'a')).toBe(false);
    });
  });
});
