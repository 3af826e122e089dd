import { expect, test } from 'vitest';
import type { ActivityRecord } from '../../../src/organizations/activities/activity-record.ts';
import { namedBy } from '../../../src/queries/activities/named-activities.ts';

type Context = Parameters<typeof namedBy>[0];

const addressAt = (at: number) => `0x${at.toString(16).padStart(40, '0')}`;

/** A payment to receivers with these numbers. Its stamped message has a length. */
function payment(id: string, from: number, count: number, length = 1): ActivityRecord {
  const effects = Array.from({ length: count }, (_, at) => ({ kind: 'TRANSFER', to: addressAt(from + at) }));
  return {
    id,
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    parsed: { effects },
    votes: [{ message: 'x'.repeat(length) }],
  } as never;
}

/** An organization with these activities. Records what is read. */
function organization(...records: readonly ActivityRecord[]) {
  const read: string[] = [];
  const get = (_organizationId: string, id: string) => {
    read.push(id);
    return Promise.resolve(records.find((record) => record.id === id));
  };
  const context = { activities: { get }, organization: { id: 'organization' }, endSlice: () => undefined } as unknown as Context;
  return { read, context };
}

const everything = () => true;
const first = payment('first', 0, 1);

test('D1052: an activity that names too much is left out as a whole, and hides no other', async () => {
  const { context } = organization(payment('large', 100, 200), payment('small', 500, 199));
  const named = await namedBy(context, first, ['large', 'small'], everything);
  expect(named.activityIds).toEqual(['first', 'small']);
  expect(named.addresses).toHaveLength(200);
  expect(named.addresses).not.toContain(addressAt(100));
  expect(named.addresses).toContain(addressAt(698));
});

test('the first activity is looked up in part if it names too much', async () => {
  const { context } = organization(payment('again', 0, 3));
  const named = await namedBy(context, payment('first', 0, 300), ['again'], everything);
  expect(named.addresses).toHaveLength(200);
  expect(named.activityIds).toEqual(['again']);
});

test('D1052: an activity that the caller may not read adds nothing', async () => {
  const { context } = organization(payment('theirs', 100, 1));
  const named = await namedBy(context, first, ['theirs', 'missing'], ({ id }) => id !== 'theirs');
  expect(named).toMatchObject({ addresses: [addressAt(0)], activityIds: ['first'] });
});

test('D1053: reads each activity once, and none after some megabytes', async () => {
  const large = [1, 2, 3, 4, 5, 6].map((at) => payment(`large ${at}`, at, 1, 1_000_000));
  const { context, read } = organization(...large);
  const ids = large.map(({ id }) => id);
  const named = await namedBy(context, first, ['first', ...ids, ...ids], everything);
  expect(read).toEqual(ids.slice(0, 4));
  expect(named.activityIds).toEqual(['first', ...ids.slice(0, 4)]);
});
