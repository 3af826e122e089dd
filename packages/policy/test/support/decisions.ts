import { readFileSync } from 'node:fs';
import type { DecisionRequest, PolicyCredential, PolicySource, PolicyUser, PolicyValue } from '../../src/index.ts';
import { loadInputs } from './corpus.ts';

/** One decision of the corpus. */
export interface DecisionCase {
  readonly name: string;
  readonly policies: readonly PolicySource[];
  readonly input: string;
  readonly approvers: readonly string[];
  readonly rootQuorum?: DecisionRequest['rootQuorum'];
  readonly rootQuorumOnly?: boolean;
  readonly selfService?: boolean;
  readonly outcome: string;
  readonly by?: string;
  readonly policyIds?: readonly string[];
  readonly mayApprove?: readonly string[];
  readonly outcomes?: Readonly<Record<string, string>>;
}

interface CredentialRecord {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly credential_id: string;
  readonly public_key: string;
}

const file = JSON.parse(readFileSync(new URL('../../../../conformance/policy/decisions.json', import.meta.url), 'utf8')) as {
  now: string;
  users: readonly (Omit<PolicyUser, 'credentials'> & { credentials: readonly CredentialRecord[] })[];
  cases: readonly DecisionCase[];
};

const inputs = loadInputs();

export const decisionCases = file.cases;
export const decisionTime = Date.parse(file.now);

/** The users of the corpus by id. */
export const users: ReadonlyMap<string, PolicyUser> = new Map(
  file.users.map((user) => [user.id, { ...user, credentials: user.credentials.map(toCredential) }]),
);

/** A request of the corpus: an input and the ids of the approvers, with all of their credentials. */
export function toRequest(input: string, approverIds: readonly string[], rest: Partial<DecisionRequest> = {}): DecisionRequest {
  const values = inputs.get(input);
  if (values === undefined) throw new Error(`no input named ${input}`);
  return fromValues(values, approverIds, rest);
}

/** A request from the values of its namespaces. */
export function fromValues(
  values: ReadonlyMap<string, PolicyValue>,
  approverIds: readonly string[],
  rest: Partial<DecisionRequest> = {},
): DecisionRequest {
  const text = (name: string) => values.get(`activity.${name}`) as string | undefined;
  const namespaces = [...values].filter(([path]) => !path.startsWith('activity.'));
  const [requesterId] = approverIds;
  const approvers = approverIds.map((id) => users.get(id) ?? { id, tags: [], alias: id });
  return {
    approvers,
    credentials: approvers.flatMap(({ credentials }) => credentials ?? []),
    requesterId,
    activity: {
      type: text('type') ?? 'ACTIVITY_TYPE_NONE',
      kind: text('kind'),
      resource: text('resource'),
      action: text('action'),
      given: () => values.get('activity.given') as readonly string[],
      params: (name) => values.get(`activity.params.${name}`),
    },
    namespaces: Object.fromEntries(namespaces),
    now: decisionTime,
    rootQuorum: { threshold: 1, userIds: [] },
    organizationUsers: users,
    ...rest,
  };
}

function toCredential(record: CredentialRecord): PolicyCredential {
  return {
    id: record.id,
    userId: record.user_id,
    type: record.type,
    credentialId: record.credential_id,
    publicKey: record.public_key,
  };
}
