import { readFileSync } from 'node:fs';
import { policyOptions } from '@countersign/judgement';
import {
  checkPolicy,
  compilePolicies,
  type DecisionRequest,
  decide,
  type PolicySource,
  type PolicyUser,
  type PolicyValue,
} from '@countersign/policy';
import { describe, expect, test } from 'vitest';

interface Expressions {
  readonly name: string;
  readonly effect: PolicySource['effect'];
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
}

interface ExpectedDecision {
  readonly request: string;
  readonly approvers: readonly string[];
  readonly now?: string;
  readonly outcome: string;
}

/** `conformance/policies/README.md` describes the members. */
const corpus = JSON.parse(readFileSync(new URL('../../../conformance/policies/published.json', import.meta.url), 'utf8')) as {
  readonly now: string;
  readonly users: readonly {
    readonly id: string;
    readonly alias: string;
    readonly tags: readonly string[];
    readonly credentials: readonly Readonly<Record<'id' | 'type' | 'credential_id' | 'public_key', string>>[];
  }[];
  readonly requests: Readonly<Record<string, { readonly namespaces: Readonly<Record<string, unknown>> }>>;
  readonly policies: readonly (Expressions & { readonly decisions: readonly ExpectedDecision[] })[];
  readonly refused: readonly (Expressions & { readonly diagnostics: readonly string[]; readonly reason: string })[];
};

const users: ReadonlyMap<string, PolicyUser> = new Map(
  corpus.users.map(({ credentials, ...user }) => [
    user.id,
    {
      ...user,
      credentials: credentials.map(({ id, type, credential_id, public_key }) => ({
        id,
        userId: user.id,
        type,
        credentialId: credential_id,
        publicKey: public_key,
      })),
    },
  ]),
);

describe('policies as others publish them', () => {
  test.each(corpus.policies.map((policy) => [policy.name, policy] as const))('%s', (_, { name, decisions, ...expressions }) => {
    expect(checkPolicy(expressions, policyOptions)).toEqual([]);
    expect(decisions.length).toBeGreaterThan(0);
    const rest: readonly PolicySource[] = expressions.effect === 'EFFECT_DENY' ? [{ id: 'rest', effect: 'EFFECT_ALLOW' }] : [];
    const set = compilePolicies([{ id: name, ...expressions }, ...rest], policyOptions);
    for (const decision of decisions) {
      const { outcome } = decide(set, toRequest(decision));
      expect({ ...decision, outcome }).toEqual(decision);
    }
  });

  test.each(corpus.refused.map((policy) => [policy.name, policy] as const))('refused: %s', (_, policy) => {
    const { name: _name, reason, diagnostics, ...expressions } = policy;
    expect(checkPolicy(expressions, policyOptions).map(({ code }) => code)).toEqual(diagnostics);
    expect(reason).not.toBe('');
  });

  test('there are as many as were counted, each with its own text', () => {
    expect(corpus.policies.length).toBeGreaterThanOrEqual(130);
    const texts = corpus.policies.map(({ effect, condition, consensus, time }) =>
      [effect, condition, consensus, time].join('\n'),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });
});

function toRequest({ request, approvers, now = corpus.now }: ExpectedDecision): DecisionRequest {
  const namespaces = Object.entries(corpus.requests[request]?.namespaces ?? {});
  const values = new Map(namespaces.map(([path, value]) => [path, decodeValue(value)]));
  const text = (name: string) => values.get(`activity.${name}`) as string;
  const people = approvers.map((id) => users.get(id) as PolicyUser);
  return {
    approvers: people,
    credentials: people.flatMap(({ credentials }) => credentials ?? []),
    activity: {
      type: text('type'),
      kind: text('kind'),
      resource: text('resource'),
      action: text('action'),
      params: (name) => values.get(`activity.params.${name}`),
    },
    namespaces: Object.fromEntries([...values].filter(([path]) => !path.startsWith('activity.'))),
    now: Date.parse(now),
    rootQuorum: { threshold: 1, userIds: [] },
    organizationUsers: users,
  };
}

/** `{"$int": "5"}` is an integer, `{"$map": {…}}` a map, and everything else is plain JSON. */
function decodeValue(value: unknown): PolicyValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(decodeValue);
  const record = value as Readonly<Record<string, unknown>>;
  if ('$int' in record) return BigInt(String(record.$int));
  const entries = Object.entries('$map' in record ? (record.$map as object) : record);
  const decoded = entries.map(([key, each]) => [key, decodeValue(each)] as const);
  return '$map' in record ? new Map(decoded) : Object.fromEntries(decoded);
}
