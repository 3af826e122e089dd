import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isVoteOn } from '../src/review/proof/is-vote-on.ts';

const request = '{"type":"ACTIVITY_TYPE_SIGN_TRANSACTION_V2","organizationId":"o"}';
const fingerprint = `sha256:${createHash('sha256').update(request).digest('hex')}`;
const vote = (type: string, more: object = {}) =>
  JSON.stringify({ type: `ACTIVITY_TYPE_${type}_ACTIVITY`, organizationId: 'o', parameters: { fingerprint }, ...more });
const isVote = (message: string, selection: 'APPROVED' | 'REJECTED' = 'APPROVED') =>
  isVoteOn({ fingerprint, organizationId: 'o' }, { message, selection: `VOTE_SELECTION_${selection}` });

test('a vote is the request, or an approval or a rejection of it', () => {
  expect(isVote(request)).toBe(true);
  expect(isVote(vote('APPROVE'))).toBe(true);
  expect(isVote(vote('REJECT'), 'REJECTED')).toBe(true);
});

test.each<readonly [string, string, 'APPROVED' | 'REJECTED']>([
  ['a query', '{"organizationId":"o"}', 'APPROVED'],
  ['another request', request.replace('V2', 'V1'), 'APPROVED'],
  ['a rejection', vote('REJECT'), 'APPROVED'],
  ['an approval', vote('APPROVE'), 'REJECTED'],
  ['the request', request, 'REJECTED'],
  ['a vote on another request', vote('APPROVE', { parameters: { fingerprint: `sha256:${'0'.repeat(64)}` } }), 'APPROVED'],
  ['a vote in another organization', vote('APPROVE', { organizationId: 'p' }), 'APPROVED'],
  ['a vote without parameters', vote('APPROVE', { parameters: null }), 'APPROVED'],
  ['null', 'null', 'APPROVED'],
  ['text', 'yes', 'APPROVED'],
])('D1113: a stamp of something else is no vote: %s', (_, message, selection) => {
  expect(isVote(message, selection)).toBe(false);
});
