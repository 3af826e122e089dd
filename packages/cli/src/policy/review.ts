import { type Client, items } from '@countersign/client';
import type { PolicySource } from '@countersign/policy';
import {
  harms,
  olderLimits,
  organizationOf,
  recordOf,
  rulesThatHashesAvoid,
  type StricterPolicy,
  stricterPolicies,
} from '@countersign/server';

/** A policy as the service lists it. */
export interface ListedPolicy extends Omit<PolicySource, 'id'> {
  readonly policyId: string;
  readonly policyName: string;
}

type Organization = ReturnType<typeof organizationOf>;
type Control = Organization['records']['velocityControl'] extends ReadonlyMap<string, infer Record> ? Record : never;

/** What the service shows of the rest of the organization. */
export interface ReviewedOrganization {
  readonly features: readonly { readonly name: string; readonly value?: string | undefined }[];
  readonly controls: readonly (Pick<Control, 'name' | 'identifier' | 'dataSource' | 'aggregation'> & {
    readonly velocityControlId: string;
    readonly controlRules?: 2 | undefined;
  })[];
}

/** A policy that allows less than under earlier rules, or that should be held by a switch that is off. */
export interface ReviewedPolicy {
  readonly policyId: string;
  readonly policyName: string;
  readonly changes: readonly { readonly request: string; readonly harm: string }[];
  readonly recommendations: readonly string[];
}

/** A limit that counts by the rules of an earlier release, and the policies whose decisions the current rules would change. */
export interface ReviewedLimit {
  readonly velocityControlId: string;
  readonly name: string;
  readonly identifier: string;
  /** ALLOW policies, with requests that they would no longer allow. */
  readonly allows: readonly Pick<ReviewedPolicy, 'policyId' | 'policyName' | 'changes'>[];
  /** DENY policies, which would deny what the limit does not count. */
  readonly denies: readonly string[];
}

/** The requests of one policy that are listed. */
const MAX_LISTED = 5;

const NO_HASHES =
  'it can be avoided by signing the hash of a transaction: turn on FEATURE_NAME_NO_BLIND_HASHES, so that callers must use sign_transaction';

export function reviewPolicies(
  policies: readonly ListedPolicy[],
  nowMs: number,
  { features, controls }: ReviewedOrganization = { features: [], controls: [] },
): readonly ReviewedPolicy[] {
  const organization = organizationWith(policies, { features, controls });
  const changes = new Map(stricterPolicies(organization, nowMs).map((each) => [each.policyId, changesOf(each)]));
  const avoided = new Set(rulesThatHashesAvoid(organization));
  return policies.flatMap(({ policyId, policyName }) => {
    const [less = [], recommendations] = [changes.get(policyId), avoided.has(policyId) ? [NO_HASHES] : []];
    return less.length + recommendations.length === 0 ? [] : [{ policyId, policyName, changes: less, recommendations }];
  });
}

/** The limits that still count by the rules of an earlier release. */
export function reviewLimits(
  policies: readonly ListedPolicy[],
  nowMs: number,
  reviewed: ReviewedOrganization,
): readonly ReviewedLimit[] {
  const organization = organizationWith(policies, reviewed);
  const names = new Map(policies.map(({ policyId, policyName }) => [policyId, policyName]));
  const nameOf = (policyId: string) => names.get(policyId) ?? policyId;
  return olderLimits(organization, nowMs).map(({ controlId, allows, denies }) => {
    const { name = '', identifier = '' } = organization.records.velocityControl.get(controlId) ?? {};
    return {
      velocityControlId: controlId,
      name,
      identifier,
      allows: allows.map((each) => ({
        policyId: each.policyId,
        policyName: nameOf(each.policyId),
        changes: changesOf(each),
      })),
      denies: denies.map(nameOf),
    };
  });
}

function changesOf({ requests }: StricterPolicy): ReviewedPolicy['changes'] {
  return requests.slice(0, MAX_LISTED).map(({ request }) => ({
    request: request.id,
    harm: (harms.find(({ id }) => id === request.harm)?.harm ?? '').replace('{to}', 'a receiver'),
  }));
}

function organizationWith(policies: readonly ListedPolicy[], { features, controls }: ReviewedOrganization): Organization {
  const records = policies.map(({ policyId, ...policy }) => [policyId, recordOf({ ...policy, id: policyId })] as const);
  const organization = organizationOf(new Map(records));
  const dated = { epoch: 0, createdAtMs: 0, updatedAtMs: 0 };
  const velocityControl = new Map(
    controls.map(({ velocityControlId, controlRules, ...control }) => [
      velocityControlId,
      { ...control, ...(controlRules !== undefined && { rules: controlRules }), ...dated },
    ]),
  );
  return {
    ...organization,
    profile: {
      ...organization.profile,
      features: features.map(({ name, value }) => (value === undefined ? { name } : { name, value })),
    },
    records: { ...organization.records, velocityControl },
  };
}

/** A name or an interface that stored policies may rely on and that counts less than in an earlier release. */
export interface ReviewedName {
  readonly what: 'token' | 'contact' | 'descriptor';
  readonly name: string;
  readonly problem: string;
}

type Answer<Name extends keyof Client> = Client[Name] extends (...given: never[]) => Promise<infer A> ? A : never;

/** What policies rest on, as the service lists it. */
export interface ListedNames {
  readonly tokens: Answer<'listTokens'>['tokens'];
  readonly contacts: readonly Answer<'listContacts'>['contacts'][number][];
  readonly interfaces: readonly Answer<'listSmartContractInterfaces'>['smartContractInterfaces'][number][];
}

const DESCRIPTOR = 'SMART_CONTRACT_INTERFACE_TYPE_ERC7730';

/** Tokens that no longer count, contacts whose labels mislead, and descriptors without an ABI: they no longer make calls understood. */
export function reviewNames({ tokens, contacts, interfaces }: ListedNames): readonly ReviewedName[] {
  const withAbi = new Set(
    interfaces.filter(({ type }) => type !== DESCRIPTOR).map(({ smartContractAddress }) => smartContractAddress.toLowerCase()),
  );
  const alone = ({ type, smartContractAddress }: (typeof interfaces)[number]) =>
    type === DESCRIPTOR && !withAbi.has(smartContractAddress.toLowerCase());
  return [
    ...tokens.flatMap(({ symbol, asset, ignored }) =>
      ignored === undefined
        ? []
        : [{ what: 'token' as const, name: `${symbol} (${asset})`, problem: `It does not count: ${ignored}.` }],
    ),
    ...contacts.flatMap(({ label, address, warnings = [] }) =>
      warnings.map((problem) => ({ what: 'contact' as const, name: `${JSON.stringify(label)} (${address})`, problem })),
    ),
    ...interfaces.filter(alone).map(({ label, smartContractAddress }) => ({
      what: 'descriptor' as const,
      name: `${JSON.stringify(label)} (${smartContractAddress})`,
      problem: 'Its calls are no longer understood by tx.understood. Store the ABI of the contract.',
    })),
  ];
}

/**
 * Every policy of an organization, whole.
 * SECURITY: D448: a list omits long conditions. A policy without its condition would be judged as one that applies to everything.
 */
export async function allPolicies(client: Pick<Client, 'listPolicies' | 'getPolicy'>): Promise<readonly ListedPolicy[]> {
  const policies: ListedPolicy[] = [];
  for await (const policy of items(client.listPolicies, 'policies', ({ policyId }) => policyId)) {
    const { policyId } = policy;
    policies.push(policy.shortened === undefined ? policy : (await client.getPolicy({ policyId })).policy);
  }
  return policies;
}
