import { activities } from '@countersign/contract';
import { liveApprovals, peopleOf } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { HOUR, NOW, organization, vote } from './support/world.ts';

describe('people', () => {
  test('users have their tags and credentials', () => {
    const { users } = peopleOf(organization([{ id: 'a', userTags: ['t'] }, { id: 'b' }]));
    expect(users.get('a')).toEqual({
      id: 'a',
      tags: ['t'],
      email: undefined,
      alias: 'Name of a',
      credentials: [{ id: 'a-key', userId: 'a', type: 'CREDENTIAL_TYPE_API_KEY_P256', publicKey: '02a' }],
    });
    expect(users.get('b')?.credentials?.map(({ id }) => id)).toEqual(['b-key']);
  });

  test('they are collected once per snapshot', () => {
    const snapshot = organization([{ id: 'a' }]);
    expect(peopleOf(snapshot)).toBe(peopleOf(snapshot));
    expect(peopleOf(organization([{ id: 'a' }]))).not.toBe(peopleOf(snapshot));
  });
});

describe('live approvals', () => {
  const both = organization([{ id: 'a' }, { id: 'b' }]);
  const definition = activities.createWallet;
  const approvals = (where: typeof both, votes: ReturnType<typeof vote>[], nowMs = NOW) =>
    liveApprovals({ organization: where, definition, type: definition.type, params: {}, votes, nowMs });
  const alive = (where: typeof both, votes: ReturnType<typeof vote>[], nowMs?: number) =>
    approvals(where, votes, nowMs).map(({ user }) => user.id);

  test('approvals count in their order', () => {
    expect(alive(both, [vote('b'), vote('a')])).toEqual(['b', 'a']);
    expect(approvals(both, [vote('a')])[0]).toMatchObject({ vote: vote('a'), credential: { id: 'a-key' } });
  });

  test('rejections do not', () => {
    expect(alive(both, [vote('a', { selection: 'VOTE_SELECTION_REJECTED' })])).toEqual([]);
  });

  test('an approval lives for a day, to the millisecond', () => {
    expect(alive(both, [vote('a', { createdAtMs: NOW - 24 * HOUR + 1 })])).toEqual(['a']);
    expect(alive(both, [vote('a', { createdAtMs: NOW - 24 * HOUR })])).toEqual([]);
  });

  test('D12: removed users, removed credentials and credentials of others do not count', () => {
    expect(alive(organization([{ id: 'b' }]), [vote('a'), vote('b')])).toEqual(['b']);
    expect(alive(both, [vote('a', { credentialId: 'another-key' })])).toEqual([]);
    expect(alive(both, [vote('a', { credentialId: 'b-key', publicKey: '02b' })])).toEqual([]);
  });

  test('D12: a key removed and registered again is another credential', () => {
    expect(
      alive(organization([{ id: 'a', key: { publicKey: '02z' } }]), [vote('a', { credentialId: 'old-key', publicKey: '02z' })]),
    ).toEqual([]);
  });

  test('D12: an approval ends when its key expires', () => {
    const expiring = organization([{ id: 'a', key: { createdAtMs: NOW, expirationSeconds: '60' } }]);
    expect(alive(expiring, [vote('a')], NOW + 59_999)).toEqual(['a']);
    expect(alive(expiring, [vote('a')], NOW + 60_000)).toEqual([]);
  });

  test('a one-time key approves nothing', () => {
    const restricted = organization([{ id: 'a', key: { restrictedTo: { activity: 'recoverUser', subjectId: 'a' } } }]);
    expect(alive(restricted, [vote('a')])).toEqual([]);
  });
});
