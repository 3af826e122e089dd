import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { words } from '../words/index.ts';
import { escapeInvisible } from './escape-invisible.ts';
import type { Person } from './person.ts';
import type { RecordProof } from './proof/prove-record.ts';

/** People whose names are proven. Others have names that are not proven. */
export const MOST_PEOPLE = 20;

/**
 * A person as they are shown: by the name that the log proves.
 * SECURITY: D1111: a name that the log contradicts is not shown, and one that it does not prove is marked.
 */
export function personName({ userId, name, state }: Pick<Person, 'userId' | 'name' | 'state'>): string {
  if (state === 'proven') return escapeInvisible(name);
  return escapeInvisible(state === 'altered' ? userId : words.approvals.notProven(quotedReference(name)));
}

/** Who wrote a record. */
export const writerName = ({ writer, userName }: RecordProof): string =>
  personName(writer ?? { userId: '', name: userName, state: 'unproven' });

type Vote = Pick<ListedActivity['votes'][number], 'userId' | 'user' | 'publicKey'>;

/** The name of who stamped a vote, among people that were checked. */
export function voterName(people: readonly Person[] | undefined, vote: Vote | undefined): string {
  if (vote === undefined) return '';
  const { userId, publicKey } = vote;
  const { userName: name } = vote.user;
  const same = people?.filter((each) => each.userId === userId && each.name === name) ?? [];
  const byKey = same.filter((each) => each.publicKey === publicKey);
  const found = byKey.find(({ state }) => state === 'altered') ?? byKey[0];
  return personName(found ?? { userId, name, state: 'unproven' });
}
