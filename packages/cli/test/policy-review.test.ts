import { expect, test } from 'vitest';
import { reviewLimits, reviewNames, reviewPolicies } from '../src/policy/review.ts';
import { runCli, serveInFolder } from './run-cli.ts';

const policy = (policyId: string, condition: string) => ({
  policyId,
  policyName: policyId,
  effect: 'EFFECT_ALLOW' as const,
  condition,
});

test('D416: a stored policy that allows less than before is listed with a request whose decision changes', () => {
  const reviewed = reviewPolicies(
    [
      // Mentions the type without demanding it.
      policy('not legacy', "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type != 'LEGACY'"),
      policy('all creations', "activity.action == 'CREATE'"),
      policy('policies by name', "activity.kind == 'CREATE_POLICY'"),
      policy('wallets', "activity.kind == 'CREATE_WALLET'"),
    ],
    Date.now(),
  );
  expect(reviewed.map(({ policyName }) => policyName)).toEqual(['not legacy', 'all creations']);
  expect(reviewed[0]?.changes.map(({ request }) => request)).toContain('ethereum/delegation');
  expect(reviewed[1]?.changes.map(({ request }) => request)).toContain('administration/create-policy');
});

test('D416: a stored policy is reviewed in the language in which it is stored', () => {
  const requests = (condition: string, language?: 1 | 2) =>
    reviewPolicies([{ ...policy('creations', condition), language }], Date.now()).flatMap(({ changes }) =>
      changes.map(({ request }) => request),
    );
  // The first language did not have this parameter, so the policy never allowed to create policies.
  const named = "activity.action == 'CREATE' || activity.params.policy_name == 'none'";
  expect(requests(named)).toContain('administration/create-policy');
  expect(requests(named, 2)).toContain('administration/create-policy');
  expect(requests(named, 1)).toEqual([]);
  // The second language does not have `not in`: the policy grants nothing.
  const others = "activity.resource not in ['USER']";
  expect(requests(others)).toContain('administration/create-policy');
  expect(requests(others, 2)).toEqual([]);
});

test('D472: rules on transactions that hashes avoid are listed until hashes are turned off', () => {
  const rules = [
    { ...policy('deny', "eth.tx.to == '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'"), effect: 'EFFECT_DENY' as const },
    policy('limit', "activity.kind == 'SIGN_TRANSACTION' && controls.ether"),
    policy('count', "activity.kind == 'SIGN_TRANSACTION' && controls.few"),
    { ...policy('other deny', "activity.kind == 'EXPORT_WALLET'"), effect: 'EFFECT_DENY' as const },
    policy('wallets', "activity.kind == 'CREATE_WALLET'"),
  ];
  const aggregation = {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold: '5',
    window: { infinite: {} },
    groupBy: { organization: {} },
  } as const;
  const definition = [{ caip19: 'eip155:1/slip44:60', decimals: '18' }];
  const controls = [
    { velocityControlId: '1', name: 'e', identifier: 'ether', dataSource: { chainAssetTransfer: { definition } }, aggregation },
    { velocityControlId: '2', name: 'f', identifier: 'few', dataSource: { activityExecution: {} }, aggregation },
  ];
  const advised = (features: readonly { readonly name: string; readonly value?: string }[]) =>
    reviewPolicies(rules, Date.now(), { features, controls })
      .filter(({ recommendations }) => recommendations.length > 0)
      .map(({ policyName }) => policyName);
  expect(advised([])).toEqual(['deny', 'limit']);
  expect(advised([{ name: 'FEATURE_NAME_NO_BLIND_HASHES', value: 'none' }])).toEqual(['deny', 'limit']);
  expect(advised([{ name: 'FEATURE_NAME_NO_BLIND_HASHES' }])).toEqual([]);
});

test('D455, D458, D461: tokens that lost, labels that mislead and descriptors without an ABI are listed', () => {
  const reviewed = reviewNames({
    tokens: [
      {
        tokenId: 't',
        asset: 'a',
        symbol: 'USDC',
        decimals: 18,
        source: 'ORGANIZATION',
        ignored: 'the service lists this token as USDC',
      },
      { tokenId: 'u', asset: 'b', symbol: 'FOO', decimals: 18, source: 'ORGANIZATION' },
    ],
    contacts: [
      { label: 'Acme', address: '0x1', warnings: ['The label looks like that of another contact.'] },
      { label: 'Globex', address: '0x2' },
    ],
    interfaces: [
      { label: 'Aave', type: 'SMART_CONTRACT_INTERFACE_TYPE_ERC7730', smartContractAddress: '0xAa' },
      { label: 'Lido', type: 'SMART_CONTRACT_INTERFACE_TYPE_ERC7730', smartContractAddress: '0xBb' },
      { label: 'Lido ABI', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', smartContractAddress: '0xbb' },
    ],
  } as unknown as Parameters<typeof reviewNames>[0]);
  expect(reviewed).toEqual([
    { what: 'token', name: 'USDC (a)', problem: 'It does not count: the service lists this token as USDC.' },
    { what: 'contact', name: '"Acme" (0x1)', problem: 'The label looks like that of another contact.' },
    {
      what: 'descriptor',
      name: '"Aave" (0xAa)',
      problem: 'Its calls are no longer understood by tx.understood. Store the ABI of the contract.',
    },
  ]);
});

const limit = (velocityControlId: string, controlRules?: 2) => ({
  velocityControlId,
  name: velocityControlId,
  identifier: velocityControlId,
  dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM' as const,
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL' as const,
    threshold: '2',
    window: { rolling: { duration: '86400' } },
    groupBy: { organization: {} },
  },
  ...(controlRules && { controlRules }),
});

test('D487: a limit of an earlier release is listed with the decisions that would change, and a current one is not', () => {
  const limits = reviewLimits(
    [
      policy('open', "activity.kind == 'SIGN_TRANSACTION' && controls.older"),
      policy('closed', 'tx.is_payment && tx.payments.all(p, p.asset == ETH) && tx.max_fee <= 0.02 ETH && controls.older'),
      { ...policy('guard', '!controls.older'), effect: 'EFFECT_DENY' as const, policyName: 'guard' },
      policy('new', "activity.kind == 'SIGN_TRANSACTION' && controls.current"),
    ],
    Date.now(),
    { features: [], controls: [limit('older'), limit('current', 2)] },
  );
  expect(limits.map(({ identifier, denies }) => [identifier, denies])).toEqual([['older', ['guard']]]);
  const [open, closed] = ['open', 'closed'].map((name) => limits[0]?.allows.find(({ policyName }) => policyName === name));
  expect(open?.changes.map(({ request }) => request).join(' ')).toMatch(/allow|approv/);
  expect(closed).toMatchObject({ policyName: 'closed', changes: [] });
});

test('D448: a policy that is too long for a list is reviewed by its whole condition', async () => {
  const service = await serveInFolder();
  try {
    const cli = (argv: readonly string[]) => runCli([...argv, ...service.connection]);
    const filler = `# ${'x'.repeat(78)}\n`.repeat(400);
    for (const [name, condition] of [
      ['long and narrow', `${filler}activity.kind == 'CREATE_WALLET'`],
      ['long and wide', `${filler}activity.action == 'CREATE'`],
      ['wide', "activity.action == 'CREATE'"],
    ])
      expect((await cli(['create-policy', `${name}`, '--effect', 'allow', '--condition', `${condition}`])).code).toBe(0);
    const { stdout: listed } = await cli(['list-policies', '--query', 'length(policies[?shortened])']);
    expect(listed.trim()).toBe('2');
    const { stdout } = await cli(['policy', 'review', '--json']);
    const found: { policyName: string; changes: unknown[] }[] = JSON.parse(stdout).policies;
    const stricter = found.filter(({ changes }) => changes.length > 0).map(({ policyName }) => policyName);
    expect(stricter).toEqual(['wide', 'long and wide']);
  } finally {
    await service.close();
  }
});
