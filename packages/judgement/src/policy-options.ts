import { isAddress } from '@countersign/chains';
import {
  type ActivityDefinition,
  absentTransactionTypes,
  activities,
  activityKind,
  activityTypes,
  chainNames,
  notOfferedTypes,
  policyView,
  type QueryDefinition,
  queries,
  queryKind,
} from '@countersign/contract';
import { type LintOptions, READ } from '@countersign/policy';
import { controlNames } from './controls/control-identifiers.ts';
import { normalizers } from './normalizers.ts';
import type { JudgedOrganization } from './organization.ts';
import { namedAssets, tokenUnits } from './units.ts';

const table = Object.values<ActivityDefinition>(activities);
const queryTable = Object.values<QueryDefinition>(queries);
const unique = (words: readonly string[]) => [...new Set(words)].sort();
const types = unique([...activityTypes, ...table.flatMap(({ versions }) => versions.map(({ type }) => type))]);
const view = policyView();
/** Types that a policy may name although this service does not offer them, and their kinds. */
const absent = notOfferedTypes.filter((type) => !types.includes(type));
const kinds = unique(types.map(activityKind));
const absentKinds = unique(absent.map(activityKind)).filter((kind) => !kinds.includes(kind));

/** The resources of activities. This release does not offer all of them. A policy may be written or imported before they are offered. */
const resources = [
  'AUTH',
  'CONFIG',
  'CONTACT',
  'CREDENTIAL',
  'INVITATION',
  'MFA_POLICY',
  'ORGANIZATION',
  'OTP',
  'PAYMENT_METHOD',
  'POLICY',
  'PRIVATE_KEY',
  'RECOVERY',
  'SESSION_PROFILE',
  'SMART_CONTRACT_INTERFACE',
  'SUBSCRIPTION',
  'TOKEN',
  'USER',
  'WALLET',
  'WEBHOOK_ENDPOINT',
];

/** The options of the policy language: canonical forms, and the vocabularies and parameters of the contract. */
export const policyOptions: LintOptions & Required<Pick<LintOptions, 'activities' | 'queries'>> = {
  normalizers,
  isAddress,
  vocabularies: {
    ...view.vocabularies,
    'activity.type': [...types, ...absent],
    'activity.kind': [...kinds, ...absentKinds, ...queryTable.map(queryKind).sort()],
    'activity.resource': unique([
      ...resources,
      ...table.map(({ policy }) => policy.resource),
      ...queryTable.flatMap(({ reads }) => reads.resources),
    ]),
    'activity.action': ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT', 'VERIFY', 'ENCRYPT', READ],
  },
  absentWords: new Map(
    absentTransactionTypes.map((type) => [type, `this service signs transactions of ${chainNames}: no request has this type`]),
  ),
  parameters: view.parameters,
  secretParameters: view.secretParameters,
  units: tokenUnits,
  assets: namedAssets,
  activities: view.activities,
  queries: queryTable.map((query) => ({ kind: queryKind(query), resources: query.reads.resources })),
  notOffered: { 'activity.type': absent, 'activity.kind': absentKinds },
};

/** The same options with the controls of an organization. */
export function policyOptionsOf({
  records,
}: {
  readonly records: Pick<JudgedOrganization['records'], 'velocityControl'>;
}): typeof policyOptions {
  const { velocityControl } = records;
  return velocityControl.size === 0 ? policyOptions : { ...policyOptions, controls: controlNames(velocityControl) };
}
