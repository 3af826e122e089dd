import { expect, test } from 'vitest';
import { NamedPeople, type VoteStamp } from '../../../src/queries/activities/named-people.ts';

const stamps = (count: number): VoteStamp[] =>
  Array.from({ length: count }, (_, at) => ({
    userId: `user ${at}`,
    credentialId: `01890000-0000-7000-8000-${at}`,
    kind: 'apiKey',
  }));
const users = new Map(stamps(100).map(({ userId }) => [userId, { updatedAtMs: 5 }])) as never;

test('D1112: the names of a limited number of people are proven, the first ones', () => {
  const people = new NamedPeople();
  people.add(stamps(100));
  people.add(stamps(1));
  const written = people.written({ users });
  expect(written).toHaveLength(40);
  expect(written[0]).toEqual({ kind: 'user', id: 'user 0', updatedAtMs: 5 });
  expect(written[1]).toEqual({ kind: 'apiKey', id: '01890000-0000-7000-8000-0', updatedAtMs: 0x018900000000 });
});

test('a user of another organization has no records', () => {
  const people = new NamedPeople();
  people.add([{ userId: 'nobody', credentialId: 'key', kind: 'authenticator' }]);
  expect(people.written({ users })).toEqual([]);
});
