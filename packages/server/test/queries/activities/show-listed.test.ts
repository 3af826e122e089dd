import { type ActivityDetails, MAX_ITEM_CHARACTERS } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../../src/organizations/activities/activity-record.ts';
import { shortenVotes, showListed } from '../../../src/queries/activities/show-listed.ts';

const at = { seconds: '0', nanos: '0' };
const vote = (message: string) => ({
  id: 'vote',
  userId: 'user',
  userName: 'User',
  credentialId: 'key',
  selection: 'VOTE_SELECTION_APPROVED' as const,
  message,
  publicKey: '00',
  signature: '00',
  scheme: 'SIGNATURE_SCHEME',
  createdAtMs: 0,
});

function record(fields: Partial<ActivityRecord> = {}): ActivityRecord {
  return {
    id: 'activity',
    organizationId: 'organization',
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: 'sha256:00',
    timestampMs: '1700000000000',
    intent: { payload: 'short' },
    result: { r: '00' },
    failure: null,
    votes: [vote('{}')],
    decisions: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    ...fields,
  };
}

const user = { userId: 'user', userName: 'User', authenticators: [], apiKeys: [], userTags: [], oauthProviders: [] };
/** A plain rendering, and the records that it got. */
function rendering() {
  const rendered: ActivityRecord[] = [];
  const show = (each: ActivityRecord): ActivityDetails => {
    rendered.push(each);
    const { id, organizationId, status, type, fingerprint } = each;
    return {
      ...{ id, organizationId, status, type, fingerprint, canApprove: false, canReject: false, createdAt: at, updatedAt: at },
      intent: (each.intent ?? {}) as Record<string, unknown>,
      result: (each.result ?? {}) as Record<string, unknown>,
      votes: each.votes.map(({ message, ...rest }) => ({
        ...{ id: rest.id, userId: rest.userId, selection: rest.selection, publicKey: '', signature: '', scheme: '', message },
        user: { ...user, createdAt: at, updatedAt: at },
        activityId: id,
        createdAt: at,
      })),
      failure: each.failure && { ...each.failure, details: [...each.failure.details] },
    };
  };
  return { show, rendered };
}

const long = 'x'.repeat(MAX_ITEM_CHARACTERS + 1);
const half = 'x'.repeat(MAX_ITEM_CHARACTERS / 2);

describe('D252: an activity in a list', () => {
  test('is shown as it is if it is short', () => {
    const { show, rendered } = rendering();
    const short = record();
    expect(showListed(short, show)).toEqual(show(short));
    expect(rendered[0]).toBe(short);
  });

  test.each<[string, Partial<ActivityRecord>]>([
    ['a long message', { votes: [vote(long)] }],
    ['a long intent', { intent: { payload: long } }],
    ['a long result', { result: { signature: long } }],
    ['texts that are long together', { votes: [vote(half)], intent: { payload: half } }],
  ])('leaves out %s before anything is rendered', (_, fields) => {
    const { show, rendered } = rendering();
    const shown = showListed(record(fields), show);
    expect(shown).toMatchObject({ id: 'activity', fingerprint: 'sha256:00', status: 'ACTIVITY_STATUS_COMPLETED' });
    expect(shown).toMatchObject({ intent: {}, result: {}, createdAt: at });
    expect(shown.votes).toMatchObject([{ userId: 'user', message: '' }]);
    expect(shown.shortened).toEqual({ fields: ['intent', 'votes.message', 'result'], query: 'get_activity' });
    expect(JSON.stringify(rendered).length).toBeLessThan(2_000);
  });

  test('names the fields that the whole activity has, and keeps the beginning of a failure', () => {
    const { show } = rendering();
    const failure = { code: 3, message: long, details: [long] };
    const judgedParameters = { a: 1 };
    const shown = showListed(record({ result: null, failure, judgedParameters }), show);
    expect(shown.shortened?.fields).toEqual(['intent', 'votes.message', 'judgedParameters', 'failure']);
    expect(shown.failure).toEqual({ code: 3, message: long.slice(0, 1_024), details: [] });
  });

  test('leaves out the credentials of voters, and votes beyond the first ten if there are very many', () => {
    const { show } = rendering();
    const credential = { publicKey: half, type: 'CREDENTIAL_TYPE_API_KEY_P256' as const };
    const apiKey = { credential, apiKeyId: 'key', apiKeyName: 'Key', createdAt: at, updatedAt: at };
    const withVotes = (count: number) => {
      const shown = show(record({ votes: Array.from({ length: count }, () => vote('{}')) }));
      return { ...shown, votes: shown.votes.map((each) => ({ ...each, user: { ...each.user, apiKeys: [apiKey] } })) };
    };
    const few = shortenVotes(withVotes(3));
    expect(few.votes.map((each) => each.user.apiKeys)).toEqual([[], [], []]);
    expect(few.shortened).toEqual({ fields: ['votes.user'], query: 'get_activity' });
    const many = shortenVotes({ ...withVotes(500), shortened: { fields: ['intent'], query: 'get_activity' } });
    expect(many.votes).toHaveLength(10);
    expect(many.shortened).toEqual({ fields: ['intent', 'votes'], query: 'get_activity' });
    expect(JSON.stringify(many).length).toBeLessThan(MAX_ITEM_CHARACTERS);
  });
});
