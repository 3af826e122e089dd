import { describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from './run-cli.ts';

const policies = [
  {
    policyName: 'small transfers by two',
    effect: 'EFFECT_ALLOW',
    condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.to == '0x3535353535353535353535353535353535353535'",
    consensus: "approvers.filter(user, user.tags.contains('ops')).count() >= 2",
  },
];
const transaction = {
  type: 'TRANSACTION_TYPE_ETHEREUM',
  // The example of EIP-155: one ether to 0x3535….
  unsigned: 'ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080',
  signerPublicKey: '024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382',
};
const signing = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters: { type: 'TRANSACTION_TYPE_ETHEREUM' } };
const caseFile = (cases: readonly object[]) =>
  JSON.stringify({ users: [{ id: 'ann', tags: ['ops'] }, { id: 'bo', tags: ['ops'] }, { id: 'cy' }], policies, cases });

describe('policy test', () => {
  test('evaluates cases with the engine and the parsers of the service', async () => {
    await using folder = await temporaryFolder();
    await folder.write(
      'transfers.cases.json',
      caseFile([
        { name: 'one waits', ...signing, transaction, approvers: ['ann'], expect: 'NEEDS_CONSENSUS' },
        { name: 'two pass', ...signing, transaction, approvers: ['ann', 'bo'], expect: 'ALLOW' },
        { name: 'others do not', ...signing, transaction, approvers: ['cy'], expect: 'DENY' },
      ]),
    );
    const { code, stdout } = await runCli(['policy', 'test', folder.path]);
    expect(stdout).toContain('3 passed, 0 failed');
    expect(stdout).toContain('was never false');
    expect(code).toBe(0);
  });

  test('D472: raw payloads are read as by the service, and hashes of covered keys are denied', async () => {
    await using folder = await temporaryFolder();
    const anyone = '0x3535353535353535353535353535353535353535';
    const file = (noBlindHashes: string, hashExpect: string) => {
      const raw = (payload: string, hash: string, expect: string) => ({
        name: `${hash} ${payload}`,
        type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
        parameters: { payload, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: `HASH_FUNCTION_${hash}` },
        approvers: ['ann'],
        expect,
      });
      return JSON.stringify({
        users: [{ id: 'ann' }],
        noBlindHashes,
        policies: [
          { policyName: 'sign', effect: 'EFFECT_ALLOW', condition: "activity.action == 'SIGN'" },
          { policyName: 'not there', effect: 'EFFECT_DENY', condition: `eth.tx.to == '${anyone}'` },
        ],
        cases: [
          raw(transaction.unsigned, 'KECCAK256', 'DENY'),
          raw(transaction.unsigned.replace('9435', '9436'), 'KECCAK256', 'ALLOW'),
          raw('ff', 'KECCAK256', 'ALLOW'),
          raw('11'.repeat(32), 'NO_OP', hashExpect),
        ],
      });
    };
    for (const [noBlindHashes, hash] of [
      ['covered', 'DENY'],
      ['all', 'DENY'],
      ['none', 'ALLOW'],
    ] as const) {
      const path = await folder.write(`${noBlindHashes}.cases.json`, file(noBlindHashes, hash));
      const { stdout } = await runCli(['policy', 'test', path]);
      expect(stdout, noBlindHashes).toContain('4 passed, 0 failed');
    }
  });

  test('a case with another outcome fails the run and is explained', async () => {
    await using folder = await temporaryFolder();
    const elsewhere = { 'eth.tx': { to: '0x00000000000000000000000000000000000000aa', value: { $int: '1' } } };
    const file = await folder.write(
      'a.cases.json',
      caseFile([{ name: 'elsewhere', ...signing, namespaces: elsewhere, approvers: ['ann', 'bo'], expect: 'ALLOW' }]),
    );
    const { code, stdout } = await runCli(['policy', 'test', file]);
    expect(code).toBe(1);
    expect(stdout).toContain('expected ALLOW, got DENY');
    expect(stdout).toContain("`eth.tx.to` was '0x00000000000000000000000000000000000000aa'");
  });

  test('reads policies from a separate file and prints JSON results', async () => {
    await using folder = await temporaryFolder();
    await folder.write('policies.json', JSON.stringify({ policies }));
    const cases = [{ name: 'one waits', ...signing, transaction, approvers: ['ann'], expect: 'NEEDS_CONSENSUS' }];
    await folder.write(
      'b.cases.json',
      JSON.stringify({
        users: [
          { id: 'ann', tags: ['ops'] },
          { id: 'bo', tags: ['ops'] },
        ],
        policies: 'policies.json',
        cases,
      }),
    );
    const { code, stdout } = await runCli(['policy', 'test', folder.path, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { outcomes: [{ name: 'one waits', outcome: 'NEEDS_CONSENSUS', passed: true }], coverage: { total: 6 } },
    ]);
  });

  test.each([
    ['an unknown activity type', { ...signing, type: 'ACTIVITY_TYPE_NOPE' }, 'ACTIVITY_TYPE_NOPE is not an activity type'],
    ['an unknown approver', { ...signing, approvers: ['dee'] }, 'no user dee'],
    [
      'a transaction that cannot be read',
      { ...signing, transaction: { ...transaction, unsigned: 'ec09' } },
      'the transaction cannot be read',
    ],
    [
      'a parameter that the type does not have',
      { ...signing, parameters: { kind: 'TRANSACTION_TYPE_ETHEREUM' } },
      'has no parameter kind that policies see',
    ],
    ['a type that policies do not apply to', { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY' }, 'policies do not apply to'],
    ['a bare number', { ...signing, namespaces: { 'eth.tx': { value: 5 } } }, 'bare number'],
  ])('reports %s with a fix', async (_name, fields, message) => {
    await using folder = await temporaryFolder();
    const file = await folder.write(
      'c.cases.json',
      caseFile([{ name: 'broken', approvers: ['ann'], expect: 'DENY', ...fields }]),
    );
    const { code, stderr } = await runCli(['policy', 'test', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Fix:');
  });

  test('policies see parameters like in the service, including defaults', async () => {
    await using folder = await temporaryFolder();
    const open = { policyName: 'open', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'AUTH'" };
    const deny = {
      policyName: 'deny',
      effect: 'EFFECT_DENY',
      condition: "activity.params.user_id == 'bo' || activity.params.expiration_seconds > 900",
    };
    const session = { type: 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2', approvers: ['ann'] };
    const cases = [
      { name: 'own, short', ...session, parameters: { userId: 'ann', expirationSeconds: '900' }, expect: 'ALLOW' },
      { name: 'own, long', ...session, parameters: { userId: 'ann', expirationSeconds: '901' }, expect: 'DENY' },
      { name: 'for somebody else', ...session, parameters: { userId: 'bo', expirationSeconds: '900' }, expect: 'DENY' },
      { name: 'not said for whom, which the service would know', ...session, expect: 'DENY' },
      { name: 'of the root quorum', type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM', approvers: ['ann'], expect: 'DENY' },
    ];
    const people = { users: [{ id: 'ann' }, { id: 'bo' }], policies: [open, deny], cases };
    await folder.write('sessions.cases.json', JSON.stringify(people));
    const { code, stdout } = await runCli(['policy', 'test', folder.path]);
    expect(stdout).toContain('5 passed, 0 failed');
    expect(code).toBe(0);
  });

  test('reports a folder without cases and a missing path', async () => {
    await using folder = await temporaryFolder();
    expect((await runCli(['policy', 'test', folder.path])).stderr).toContain('has no case files');
    const nowhere = await runCli(['policy', 'test', `${folder.path}/nowhere`]);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
  });
});

describe('policy check', () => {
  test('prints diagnostics and exits with 1', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('p.json', JSON.stringify({ effect: 'EFFECT_ALLOW', condition: "eth.tx.too == 'x'" }));
    const { code, stdout } = await runCli(['policy', 'check', file]);
    expect(code).toBe(1);
    expect(stdout).toContain('1 | eth.tx.too');
    expect(stdout).toContain('did you mean `to`?');
  });

  test('prints warnings and exits with 0', async () => {
    await using folder = await temporaryFolder();
    const never = "activity.kind == 'CREATE_WALLET' && activity.kind == 'SIGN_TRANSACTION'";
    const file = await folder.write(
      'p.json',
      JSON.stringify([{ policyName: 'never', effect: 'EFFECT_ALLOW', condition: never }]),
    );
    const { code, stdout } = await runCli(['policy', 'check', file]);
    expect(stdout).toContain('warning[NEVER_MATCHES] never');
    expect(code).toBe(0);
  });

  test('D411: shows the worst that a policy allows, and as JSON the requests', async () => {
    await using folder = await temporaryFolder();
    const condition = "effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))";
    const open = { policyName: 'vendors', effect: 'EFFECT_ALLOW', condition, consensus: 'approvers.count() >= 2' };
    const careful = { policyName: 'wallets', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'" };
    const file = await folder.write('p.json', JSON.stringify([open, careful]));
    const { stdout } = await runCli(['policy', 'check', file]);
    expect(stdout).toMatch(/ {2}worst case of vendors: any two users may .*give an unlimited allowance to anyone/);
    expect(stdout).toMatch(/ {2}worst case of wallets: none of \d+ tried requests is allowed/);
    const [found] = JSON.parse((await runCli(['policy', 'check', file, '--json'])).stdout);
    expect(found.worstCases[0]).toMatchObject({ policy: 'vendors', isComplete: true, allowed: [{ who: 'any two users' }] });
    expect(found.worstCases[0].requests).toContain('ethereum/approve');
    expect(found.worstCases[1]).toMatchObject({ policy: 'wallets', allowed: [], requests: [] });
  });

  test('D446: shows what the policies of a file would allow without a DENY', async () => {
    await using folder = await temporaryFolder();
    const signing = { policyName: 'signing', effect: 'EFFECT_ALLOW', condition: "activity.action == 'SIGN'" };
    const deny = { policyName: 'no allowances', effect: 'EFFECT_DENY', condition: "effects.any(e, e.kind == 'ALLOWANCE')" };
    const unused = { policyName: 'no exports', effect: 'EFFECT_DENY', condition: "activity.action == 'EXPORT'" };
    const file = await folder.write('p.json', JSON.stringify([signing, deny, unused]));
    const { stdout } = await runCli(['policy', 'check', file]);
    expect(stdout).toMatch(/ {2}without no allowances: any user may then .*give an unlimited allowance to anyone/);
    expect(stdout).toMatch(/ {2}without no exports: none of \d+ tried requests becomes possible/);
  });

  test('suggests a number without quotes', async () => {
    await using folder = await temporaryFolder();
    const policy = { policyName: 'mainnet', effect: 'EFFECT_ALLOW', condition: "eth.tx.chain_id == '1'" };
    const { code, stdout } = await runCli(['policy', 'check', await folder.write('p.json', JSON.stringify([policy]))]);
    expect(stdout).toContain('warning[QUOTED_INTEGER] mainnet: an integer in quotes is read as that integer');
    expect(stdout).toContain('= help: write 1 without quotes');
    expect(code).toBe(0);
    const wrong = { ...policy, condition: "eth.tx.chain_id == '01'" };
    const refused = await runCli(['policy', 'check', await folder.write('q.json', JSON.stringify([wrong]))]);
    expect(`${refused.stdout}${refused.stderr}`).toContain(
      'write an integer without quotes, in decimal and without leading zeros',
    );
    expect(refused.code).toBe(1);
  });

  test('D87: shows a request that bypasses a policy', async () => {
    await using folder = await temporaryFolder();
    const condition = "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' && eth.eip_712.primary_type == 'Permit'";
    const file = await folder.write('p.json', JSON.stringify([{ policyName: 'no permits', effect: 'EFFECT_DENY', condition }]));
    const { stdout } = await runCli(['policy', 'check', file]);
    expect(stdout).toContain('warning[DENY_SIDESTEPPED] no permits: ');
    expect(stdout).toContain('      = help: write `activity.kind');
    expect(stdout).toContain('= example request:\n          activity.type: ACTIVITY_TYPE_SIGN_RAW_PAYLOAD\n');
    const [found] = JSON.parse((await runCli(['policy', 'check', file, '--json'])).stdout);
    expect(found.warnings[0].example).toEqual({
      'activity.type': 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
      'activity.kind': 'SIGN_RAW_PAYLOAD',
    });
  });

  test('lists the activities that a policy can apply to', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write(
      'p.json',
      JSON.stringify([
        { policyName: 'one kind', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'" },
        { policyName: 'all', effect: 'EFFECT_ALLOW', consensus: "approvers.any(u, u.id == 'ann')" },
        { policyName: 'a user', effect: 'EFFECT_DENY', condition: "activity.params.user_id == 'ann'" },
      ]),
    );
    const { code, stdout } = await runCli(['policy', 'check', file]);
    expect(code).toBe(0);
    expect(stdout).toContain('one kind can apply to CREATE_WALLET\n');
    expect(stdout).toContain('all can apply to every activity\n');
    expect(stdout).toMatch(
      /warning\[APPLIES_TO\] a user: it can apply to CREATE_API_KEYS, .* CREATE_READ_WRITE_SESSION.* only: other activities/,
    );
    const { stdout: json } = await runCli(['policy', 'check', file, '--json']);
    expect(JSON.parse(json)[0].reach).toMatchObject([
      { policy: 'one kind', appliesTo: ['CREATE_WALLET'], everything: false, queries: [] },
      { policy: 'all', everything: true },
      { policy: 'a user', everything: false },
    ]);
  });

  test('reports a file that is not a policy', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('p.json', '{"effect":"MAYBE"}');
    expect((await runCli(['policy', 'check', file])).stderr).toContain('contains no policies');
  });
});
