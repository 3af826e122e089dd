import fc from 'fast-check';
import type { PolicySource, PolicyValue } from '../../src/index.ts';
import { arbitraryCondition } from './arbitrary-condition.ts';

const A = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

/** Clauses that the index reads, and clauses that fail in every way that it must handle. */
const clause = fc.constantFrom(
  "activity.kind == 'SIGN_TRANSACTION'",
  "activity.kind in ['SIGN_RAW_PAYLOAD', 'CREATE_WALLET']",
  "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
  "(activity.action == 'SIGN' || activity.action == 'EXPORT')",
  "activity.resource == 'WALLET'",
  "activity.resource != 'WALLET'",
  `eth.tx.to == '${A}'`,
  "wallet.id == 'w-treasury'",
  "wallet.id == 'w-other'",
  'eth.tx.chain_id == 1',
  'eth.tx.chain_id in [1, 11155111]',
  'eth.tx.value > 5',
  "eth.tx.data[0..10] == '0xa9059cbb'",
  "eth.tx.contract_call_args['wad'] < 5",
  'eth.tx.access_list.count() == 0',
  'eth.tx.authorization_list.count() == 0',
  'solana.tx.transfers[0].amount > 1',
  'solana.tx.transfers.count() == 1',
  "activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
  'activity.params.user_ids.count() == 1',
  'tx.fully_parsed',
  '!wallet.exported',
);

const condition = fc.oneof(
  { weight: 4, arbitrary: fc.array(clause, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' && ')) },
  { weight: 1, arbitrary: arbitraryCondition('ethereum') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('true', 'false', 'not valid at all', "activity.kind == 'SIGN_TRANSACTION' && nonsense"),
  },
);

const consensus = fc.constantFrom(
  'true',
  "approvers.any(user, user.id == 'u-alice')",
  "approvers.any(user, user.id in ['u-bob', 'u-carol'])",
  "approvers.any(user, user.id == 'u-bob') || approvers.any(user, user.id == 'u-dave')",
  "approvers.any(user, user.id == 'u-bob') && approvers.any(user, user.id == 'u-carol')",
  "approvers.any(user, user.tags.contains('t-ops'))",
  "approvers.filter(user, user.tags.contains('t-ops')).count() >= 2",
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
  "!approvers.any(user, user.id == 'u-dave')",
  "approvers[1].id == 'u-bob'",
  "approvers.all(user, user.tags.contains('t-ops')) && approvers.count() >= 2",
  "approvers.all(user, user.id != 'u-dave')",
  'approvers.any(user, user.id != requester.id)',
  "approvers.any(user, user.tags.contains('t-ops') && user.id != requester.id)",
  "requester.tags.contains('t-ops')",
);

const time = fc.constantFrom("time.now > Timestamp('2026-01-01T00:00:00Z')", "time.now < Timestamp('2026-01-01T00:00:00Z')");

/** Sets of policies with unique ids. */
export const arbitraryPolicies: fc.Arbitrary<readonly PolicySource[]> = fc
  .array(
    fc.record(
      {
        effect: fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_DENY' as const),
        condition,
        consensus,
        time,
      },
      { requiredKeys: ['effect'] },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((policies) => policies.map((policy, index) => ({ ...policy, id: `p${index}` })));

/** Approvers, including one who does not exist. */
export const arbitraryApprovers = fc.uniqueArray(
  fc.constantFrom('u-alice', 'u-bob', 'u-carol', 'u-dave', 'u-root-1', 'u-root-2', 'u-gone'),
  { maxLength: 3 },
);

/** An input of the corpus, sometimes damaged: a namespace or a field removed, or a field of another type. */
export function arbitraryValues(
  inputs: ReadonlyMap<string, ReadonlyMap<string, PolicyValue>>,
): fc.Arbitrary<ReadonlyMap<string, PolicyValue>> {
  const names = [...inputs.keys()].filter((name) => /^(eth|solana-t|raw|wallet|delete|export)/.test(name));
  const damage = fc.record({ at: fc.nat(), field: fc.nat(), how: fc.constantFrom('none', 'none', 'namespace', 'field', 'type') });
  return fc.tuple(fc.constantFrom(...names), damage).map(([name, { at, field, how }]) => {
    const values = new Map(inputs.get(name) ?? []);
    const paths = [...values.keys()].filter((path) => path !== 'activity.type');
    const path = paths[at % paths.length];
    if (path === undefined || how === 'none') return values;
    const value = values.get(path) as PolicyValue;
    if (how === 'namespace') values.delete(path);
    else if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof Map)) {
      const record = { ...(value as Record<string, PolicyValue>) };
      const key = Object.keys(record)[field % Object.keys(record).length] as string;
      if (how === 'field') delete record[key];
      else record[key] = typeof record[key] === 'boolean' ? 1n : true;
      values.set(path, record);
    } else if (how === 'type') values.set(path, typeof value === 'boolean' ? 1n : true);
    return values;
  });
}
