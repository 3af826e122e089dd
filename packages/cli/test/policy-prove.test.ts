import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from './run-cli.ts';

const guide = await readFile(new URL('../../../docs/guide/proving-policies.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

const users = [{ id: 'ann', tags: ['ops'] }, { id: 'bo', tags: ['ops'] }, { id: 'root' }];
const rootQuorum = { threshold: 1, userIds: ['root'] };
const small = { policyName: 'small', effect: 'EFFECT_ALLOW', condition: 'eth.tx.value <= 1 ETH' };
const byTwo = { policyName: 'by two', effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 2' };

interface Asked {
  readonly policies: readonly object[];
  readonly properties: readonly object[];
  readonly flags?: readonly string[];
}

async function proveJson({ policies, properties, flags = [] }: Asked) {
  await using folder = await temporaryFolder();
  const file = await folder.write('policies.json', JSON.stringify(policies));
  const asked = await folder.write('asked.json', JSON.stringify({ users, rootQuorum, properties }));
  const { code, stdout, stderr } = await runCli(['policy', 'prove', file, '--properties', asked, '--json', ...flags]);
  return { code, stderr, results: stdout === '' ? [] : JSON.parse(stdout) };
}

describe('policy prove', () => {
  test('runs the example of the guide: one proof, one counterexample, one unknown, with times', async () => {
    await using folder = await temporaryFolder();
    const [policies = '', properties = ''] = blocks('json');
    const argv = [
      'policy',
      'prove',
      await folder.write('policies.json', policies),
      '--properties',
      await folder.write('policies.properties.json', properties),
    ];
    const { code, stdout, stderr } = await runCli(argv);
    expect(stdout.replace(/\([0-9]+ ms\)/g, '(… ms)')).toBe(blocks('text')[0]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const coloured = (await runCli(argv, { terminal: true })).stdout;
    expect(coloured).toContain('\u001b[32m✓ PROVEN \u001b[39m operators pay strangers');
    expect(coloured).toContain('\u001b[31m✗ REFUTED\u001b[39m');
    expect(coloured).toContain('\u001b[33m? UNKNOWN\u001b[39m');
  });

  test('D320: policies on queries change no proof: an activity is never a query', async () => {
    const query = { policyName: 'read', effect: 'EFFECT_ALLOW', condition: "activity.action == 'READ'" };
    const sub = { ...query, condition: "activity.action == 'READ' || query.organization == 'SUB_ORGANIZATION'" };
    const closed = { ...query, effect: 'EFFECT_DENY', condition: "query.organization == 'SUB_ORGANIZATION'" };
    const properties = [
      { name: 'grants', forbid: 'eth.tx.value > 1 ETH', unless: 'approvers.count() >= 2' },
      { name: 'denies', forbid: 'eth.tx.value <= 1 ETH' },
    ];
    const { results } = await proveJson({ policies: [small, byTwo, query, sub, closed], properties });
    expect(results).toMatchObject([
      { name: 'grants', verdict: 'PROVEN' },
      { name: 'denies', verdict: 'REFUTED' },
    ]);
  });

  test('prints JSON results and exits with 0 if everything is proven', async () => {
    const properties = [
      { name: 'one', forbid: 'eth.tx.value > 1 ETH', unless: 'approvers.count() >= 2' },
      { name: 'other', forbid: 'eth.tx.value > 2 ETH' },
    ];
    const { code, results } = await proveJson({ policies: [small, byTwo], properties });
    expect(results).toMatchObject([
      { name: 'one', activity: 'SIGN_TRANSACTION', verdict: 'PROVEN' },
      {
        name: 'other',
        verdict: 'REFUTED',
        counterExample: {
          by: 'POLICY',
          policies: ['by two'],
          approvers: ['ann', 'bo'],
          fields: { 'eth.tx.value': '2000000000000000001' },
        },
      },
    ]);
    expect(results[0]).not.toHaveProperty('listsUpTo');
    expect(results.every(({ milliseconds }: { milliseconds: number }) => milliseconds >= 0)).toBe(true);
    expect(code).toBe(1);
    expect((await proveJson({ policies: [small, byTwo], properties: properties.slice(0, 1) })).code).toBe(0);
  });

  test('a DENY with an error denies, and one for another chain does not apply', async () => {
    const open = { policyName: 'open', effect: 'EFFECT_ALLOW' };
    const deny = {
      policyName: 'deny',
      effect: 'EFFECT_DENY',
      condition: "eth.tx.to != '0x00000000000000000000000000000000000000aa'",
    };
    const properties = [
      { name: 'on Ethereum', forbid: "eth.tx.to == '0x00000000000000000000000000000000000000bb'" },
      { name: 'on Solana', forbid: 'solana.tx.max_fee > 0' },
    ];
    const { results } = await proveJson({ policies: [open, deny], properties });
    expect(results).toMatchObject([{ verdict: 'PROVEN' }, { verdict: 'REFUTED', counterExample: { policies: ['open'] } }]);
  });

  test('D95: a sum over a list is proven for the checked lengths, and the result states them', async () => {
    const one = { policyName: 'one', effect: 'EFFECT_ALLOW', condition: 'effects.sum(e, e.amount) <= 10' };
    const properties = [
      { name: 'each', forbid: 'effects.any(e, e.amount > 10)' },
      { name: 'sum', forbid: 'effects.sum(e, e.amount) > 10' },
    ];
    const { results } = await proveJson({ policies: [one], properties, flags: ['--list-size', '2'] });
    expect(results[0]).toMatchObject({ verdict: 'PROVEN' });
    expect(results[0]).not.toHaveProperty('listsUpTo');
    expect(results[1]).toMatchObject({ verdict: 'PROVEN', listsUpTo: 2 });
  });

  test('D95: finds a counterexample with more elements than --list-size if witnesses can be counted', async () => {
    const kinds = ['TRANSFER', 'FEE', 'CALL', 'CREATE'];
    const condition = kinds.map((kind) => `effects.any(e, e.kind == '${kind}')`).join(' && ');
    const { results } = await proveJson({
      policies: [{ effect: 'EFFECT_ALLOW', condition }],
      properties: [{ name: 'unknown bytes', forbid: "effects.any(e, e.kind == 'UNKNOWN')" }],
      flags: ['--list-size', '1'],
    });
    expect(results[0].verdict).toBe('REFUTED');
    expect(Object.keys(results[0].counterExample.fields).filter((path) => path.endsWith('.kind'))).toHaveLength(5);
  });

  test('D95: a property that forbids nothing is not proven', async () => {
    const properties = [{ name: 'misplaced', forbid: "eth.eip_712.primary_type == 'Permit'" }];
    const { code, results } = await proveJson({ policies: [small], properties });
    expect(results).toMatchObject([{ verdict: 'UNKNOWN', reason: 'NOTHING_FORBIDDEN' }]);
    expect(code).toBe(1);
    const messages = [{ ...properties[0], activity: 'SIGN_RAW_PAYLOAD' }];
    expect((await proveJson({ policies: [small], properties: messages })).results).toMatchObject([{ verdict: 'PROVEN' }]);
  });

  test('D96: conditions on call arguments are unknown, and the result suggests a selector', async () => {
    const transfers = { policyName: 'transfers', effect: 'EFFECT_ALLOW', condition: "eth.tx.data[0..10] == '0xa9059cbb'" };
    const args = { policyName: 'args', effect: 'EFFECT_ALLOW', condition: "eth.tx.contract_call_args['to'] == 'x'" };
    const properties = [{ name: 'no value', forbid: 'eth.tx.value > 0' }];
    const [shown, unknown] = await Promise.all([transfers, args].map((policy) => proveJson({ policies: [policy], properties })));
    expect(shown?.results[0].counterExample.fields['eth.tx.data']).toBe('0xa9059cbb');
    expect(unknown?.results).toMatchObject([{ verdict: 'UNKNOWN', reason: 'OUTSIDE' }]);
  });

  test('D97: a policy cannot inject solver commands', async () => {
    const id = 'x") (assert false) ; |';
    const policies = [{ policyName: 'open', effect: 'EFFECT_ALLOW', condition: `wallet.id == '${id}'` }];
    const { results } = await proveJson({ policies, properties: [{ name: '(assert false)', forbid: `wallet.id == '${id}'` }] });
    expect(results).toMatchObject([{ verdict: 'REFUTED', counterExample: { fields: { 'wallet.id': id } } }]);
  });

  test('excludes the root quorum by default', async () => {
    const asked = { policies: [small], properties: [{ name: 'large', forbid: 'eth.tx.value > 1 ETH' }] };
    expect((await proveJson(asked)).results).toMatchObject([{ verdict: 'PROVEN' }]);
    const { results } = await proveJson({ ...asked, flags: ['--include-root'] });
    expect(results).toMatchObject([{ verdict: 'REFUTED', counterExample: { by: 'ROOT_QUORUM', approvers: ['root'] } }]);
  });

  test('a proof includes self-service changes of credentials', async () => {
    const properties = [{ name: 'keys', forbid: "activity.kind == 'CREATE_API_KEYS'", activity: 'CREATE_API_KEYS' }];
    const { results } = await proveJson({ policies: [small], properties });
    expect(results).toMatchObject([{ verdict: 'REFUTED', counterExample: { by: 'SELF_SERVICE' } }]);
  });

  test('a proof includes parameters, and a DENY on one applies to self-service too', async () => {
    const long = 'activity.params.expiration_seconds > 900';
    const properties = [{ name: 'long sessions', forbid: long, activity: 'CREATE_READ_WRITE_SESSION' }];
    const open = { policyName: 'open', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'AUTH'" };
    const { results } = await proveJson({ policies: [open], properties });
    expect(results[0].counterExample.fields['activity.params.expiration_seconds']).toBe('901');
    const deny = { policyName: 'deny', effect: 'EFFECT_DENY', condition: long };
    expect((await proveJson({ policies: [open, deny], properties })).results).toMatchObject([{ verdict: 'PROVEN' }]);
  });

  test('a spending limit is true or false independently of the request', async () => {
    const limited = { ...small, condition: "activity.kind == 'SIGN_TRANSACTION' && controls.daily_usdc" };
    const properties = [
      { name: 'nothing above the limit', forbid: '!controls.daily_usdc' },
      { name: 'nothing under another limit', forbid: '!controls.other' },
    ];
    const { results } = await proveJson({ policies: [limited], properties });
    expect(results).toMatchObject([{ verdict: 'PROVEN' }, { verdict: 'REFUTED' }]);
    expect(results[1].counterExample.fields).toMatchObject({ 'controls.daily_usdc': true, 'controls.other': false });
  });

  test('a query that exceeds the time limit is unknown', async () => {
    const cubes = 'eth.tx.value * eth.tx.value * eth.tx.value + eth.tx.gas * eth.tx.gas * eth.tx.gas';
    const hard = `${cubes} == eth.tx.nonce * eth.tx.nonce * eth.tx.nonce && eth.tx.value > 0 && eth.tx.gas > 0`;
    const properties = [{ name: 'Fermat', forbid: hard }];
    const { code, results } = await proveJson({ policies: [small], properties, flags: ['--timeout', '1'] });
    expect(results).toMatchObject([{ verdict: 'UNKNOWN', reason: 'TIME' }]);
    expect(code).toBe(1);
  });

  test('accepts a property on the command line', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('p.json', JSON.stringify(small));
    const { code, stdout } = await runCli(['policy', 'prove', file, '--forbid', 'eth.tx.value > 1 ETH']);
    expect(stdout).toMatch(/^✓ PROVEN {2}eth.tx.value > 1 ETH \([0-9]+ ms\)\n/);
    expect(code).toBe(0);
  });

  test.each([
    ['a mistake in a property', { properties: [{ name: 'x', forbid: 'eth.tx.valu > 1' }] }, 'did you mean `value`?'],
    ['an error in a policy', { policies: [{ effect: 'EFFECT_ALLOW', condition: 'nonsense' }] }, 'has errors'],
    [
      'an unknown kind',
      { properties: [{ name: 'x', forbid: 'true', activity: 'NOPE' }] },
      'do not apply to activities of kind NOPE',
    ],
    ['a file without properties', { properties: [] }, 'contains no properties'],
    ['an invalid length', { flags: ['--list-size', '99'] }, 'integer from 1 to 12'],
    ['--unless without --forbid', { flags: ['--unless', 'true'] }, 'require --forbid'],
  ])('reports %s with a fix', async (_name, fields, message) => {
    const { code, stderr } = await proveJson({
      policies: [small],
      properties: [{ name: 'x', forbid: 'eth.tx.value > 1' }],
      ...fields,
    });
    expect(stderr).toContain(message);
    expect(code).toBe(message.startsWith('integer') || message === 'require --forbid' ? 2 : 1);
  });

  test('--help shows an example', async () => {
    expect((await runCli(['policy', 'prove', '--help'])).stdout).toContain('$ countersign policy prove policies.json');
  });

  test('the process exits', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('p.json', JSON.stringify(small));
    const command = new URL('../bin/countersign.js', import.meta.url).pathname;
    const argv = [command, 'policy', 'prove', file, '--forbid', 'eth.tx.value > 1 ETH'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { timeout: 50_000 });
    expect(stdout).toContain('1 proven, 0 refuted, 0 unknown');
    expect(stderr).toBe('');
  });
});
