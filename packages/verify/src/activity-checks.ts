import { rpcOperations } from '@countersign/contract';
import { type ApiKeyRecord, type DecisionRecord, expired, type VoteRecord } from '@countersign/judgement';
import { AuditError, must } from './audit-error.ts';
import { SLACK_MS } from './body.ts';
import type { Credential } from './stamps/verify-stamp.ts';
import type { State } from './state/state.ts';

export const DONE = 'ACTIVITY_STATUS_COMPLETED';
export const WAITS = 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
export const FAILED = 'ACTIVITY_STATUS_FAILED';
export const REJECTED = 'ACTIVITY_STATUS_REJECTED';

export const APPROVE = 'VOTE_SELECTION_APPROVED';
export const REJECT = 'VOTE_SELECTION_REJECTED';

/** Stands for a vote that belongs to the parent. */
export const elsewhere: VoteRecord = {
  id: '',
  userId: '',
  userName: '',
  credentialId: '',
  selection: APPROVE,
  message: '',
  publicKey: '',
  signature: '',
  scheme: '',
  createdAtMs: 0,
};

/** SECURITY: D129: not every judgement looks at the time. A one-time key opens, and a root user's key rejects, without one. */
export function requireUnexpired(key: ApiKeyRecord, timeMs: number): void {
  must(!expired(key, timeMs - SLACK_MS), 'the key that stamped it had expired');
}

export function credentialOf(state: State, id: string): Credential {
  const apiKey = state.get('apiKey', id);
  if (apiKey !== undefined) return { kind: 'apiKey', record: apiKey };
  const authenticator = state.get('authenticator', id);
  if (authenticator !== undefined) return { kind: 'authenticator', record: authenticator };
  throw new AuditError(`credential ${id} was not registered when it stamped this`);
}

/** Whether the service stamps with a credential, for callers of the JSON-RPC endpoint. */
export function isRpcKey({ kind, record }: Credential): boolean {
  return kind === 'apiKey' && record.presents !== undefined;
}

const rpcActivities: ReadonlySet<string> = new Set(rpcOperations.activities);

/** SECURITY: D780: an RPC key stamps requests to sign, and nothing else. */
export function requireRpcBody(name: string, isOwnBody: boolean, selection: string): void {
  must(rpcActivities.has(name) && isOwnBody && selection === APPROVE, 'an RPC key does not stamp this');
}

/** Whether a status follows from a decision. An allowed activity may still fail during execution. */
export function statusFits({ outcome, by }: DecisionRecord, status: string): boolean {
  if (outcome === 'NEEDS_CONSENSUS') return status === WAITS;
  if (outcome === 'DENY') return status === (by === 'REJECTION' ? REJECTED : FAILED);
  return status === DONE || status === FAILED;
}
