import { compilePolicies } from '@countersign/policy';
import { decideRequest, policyOptions } from '@countersign/server';
import { toCaseFile } from './case-file.ts';
import type { PastRequest } from './past-requests.ts';

/** A case file from past activities, as JSON. */
export interface HistoryFile {
  readonly users: readonly object[];
  readonly rootQuorum: PastRequest['state']['rootQuorum'];
  readonly policies: readonly object[];
  readonly cases: readonly object[];
}

export interface HistoryCases {
  readonly files: readonly HistoryFile[];
  /** Activities whose decision a case cannot reproduce. */
  readonly left: readonly string[];
}

/**
 * Converts past activities into case files, one per state of people and policies.
 * INVARIANT: every case was run and reproduces the past decision. Decisions that depend on more than a case file contains are omitted: MFA
 * policies, self-service credentials, session profiles.
 */
export function toHistoryCases(requests: readonly PastRequest[]): HistoryCases {
  const byState = new Map<string, { file: Omit<HistoryFile, 'cases'>; cases: object[] }>();
  const left: string[] = [];
  for (const request of requests) {
    const file = fileOf(request);
    const one = caseOf(request);
    if (!reproduces(file, one)) {
      left.push(request.activityId);
      continue;
    }
    const key = JSON.stringify(file);
    const known = byState.get(key) ?? { file, cases: [] };
    byState.set(key, known);
    known.cases.push(one);
  }
  return { files: [...byState.values()].map(({ file, cases }) => ({ ...file, cases })), left };
}

function fileOf({ state, approvers }: PastRequest): Omit<HistoryFile, 'cases'> {
  const used = new Map(approvers.map(({ userId, credentialType }) => [userId, credentialType]));
  return {
    users: state.users.map(({ credentialType, ...user }) => {
      const shown = used.get(user.id) ?? credentialType;
      return { ...user, ...(shown !== undefined && shown !== '' && { credentialType: shown }) };
    }),
    rootQuorum: state.rootQuorum,
    policies: state.policies.map(({ policyId: _, ...policy }) => policy),
  };
}

/** A past activity as a case. Includes `contacts` if a policy at that time may use them. */
export function caseOf(request: PastRequest) {
  const { activityId, type, parameters, namespaces, approvers, decidedAtMs, decided, state } = request;
  const time = new Date(Number(decidedAtMs)).toISOString();
  const asksContacts = state.policies.some(({ condition = '' }) => condition.includes('contacts'));
  return {
    name: `${type.replace(/^ACTIVITY_TYPE_/, '')} of ${time} (${activityId})`,
    type,
    parameters,
    namespaces: asksContacts ? { ...namespaces, contacts: contactsOf(state) } : namespaces,
    approvers: approvers.map(({ userId }) => userId),
    now: time,
    expect: decided,
  };
}

export function contactsOf({ contacts }: PastRequest['state']) {
  return { all: contacts.all, tagged: { $map: contacts.tagged } };
}

function reproduces(file: Omit<HistoryFile, 'cases'>, one: object): boolean {
  const { policies, cases } = toCaseFile({ ...file, cases: [one] }, 'the past');
  const [first] = cases;
  return first !== undefined && decideRequest(compilePolicies(policies, policyOptions), first.request).outcome === first.expect;
}
