import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiKeyStamper, type Client, completed, createClient, generateApiKey } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

/** The example of EIP-155: one ether to 0x3535…. */
const known = 'ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080';
/** The same to 0x9999…. */
const stranger = known.replaceAll('35'.repeat(20), '99'.repeat(20));
const to = `0x${'35'.repeat(20)}`;

describe('policies and past activities', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  let userId: string;
  let denied: string;

  beforeAll(async () => {
    service = await serveInFolder();
    const { organizationId, ...root } = JSON.parse(readFileSync(join(service.folder.path, 'credentials.json'), 'utf8'));
    const clientOf = (key: { apiPublicKey: string; apiPrivateKey: string }) =>
      createClient({ baseUrl: service.url, organizationId, stamper: new ApiKeyStamper(key) });
    const operator = clientOf(root);
    const key = generateApiKey();
    const apiKeys = [{ apiKeyName: 'Key', publicKey: key.apiPublicKey, curveType: 'API_KEY_CURVE_P256' as const }];
    const user = { userName: 'Payer', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
    userId = completed(await operator.createUsers({ users: [user as never] })).userIds[0] as string;
    const { addresses } = completed(await operator.createWallet({ walletName: 'Hot', accounts: [account] }));
    const consensus = `approvers.any(user, user.id == '${userId}')`;
    await operator.createPolicy({ policyName: 'Pay', effect: 'EFFECT_ALLOW', condition: `eth.tx.to == '${to}'`, consensus });
    const payer = clientOf(key);
    const sign = (unsignedTransaction: string, as: Client = payer) =>
      as.signTransaction({ signWith: addresses[0] as string, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
    await sign(known);
    await sign(known.replace('ec09', 'ec08'));
    const refusal = await sign(stranger).catch((error: { details: { activityId?: string }[] }) => error);
    denied = 'details' in refusal ? (refusal.details.find(({ activityId }) => activityId !== undefined)?.activityId ?? '') : '';
    await sign(stranger.replace('ec09', 'ec08'), operator);
  });
  afterAll(() => service?.close());

  const account = {
    curve: 'CURVE_SECP256K1' as const,
    pathFormat: 'PATH_FORMAT_BIP32' as const,
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM' as const,
  };
  const cli = (...argv: string[]) => runCli(['policy', ...argv, ...service.connection]);

  test('backtest shows changed outcomes by reason and exits with 1', async () => {
    const policy = { policyName: 'Pay', effect: 'EFFECT_ALLOW', condition: `eth.tx.to == '${to}' && eth.tx.nonce == 9` };
    const file = await service.folder.write('pay.json', JSON.stringify(policy));
    const { code, stdout } = await cli('backtest', '--policy', file, '--since', '1d');
    expect(stdout).toContain('would have denied 1 of the last');
    expect(stdout).toContain('ALLOW → DENY: no longer allowed by policy "Pay"');
    expect(stdout).toContain('eth.tx.nonce == 9');
    expect(code).toBe(1);
    const change = await service.folder.write('change.json', JSON.stringify({ add: [{ ...policy, policyName: 'Other' }] }));
    const none = await cli('backtest', change, '--last', '3', '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ total: 3, read: 3, flips: [], groups: [] });
    expect(none.code).toBe(0);
  });

  test('backtest shows a progress bar and rejects an empty change', async () => {
    const argv = ['policy', 'backtest', '--remove', 'x', ...service.connection];
    expect((await runCli(argv, { terminal: true })).stderr).toContain('NOT_FOUND');
    const file = await service.folder.write('deny.json', JSON.stringify({ policyName: 'No', effect: 'EFFECT_DENY' }));
    const shown = await runCli(['policy', 'backtest', '--policy', file, ...service.connection], { terminal: true });
    expect(shown.stderr).toContain('judging █');
    expect(await cli('backtest')).toMatchObject({ code: 2, stderr: expect.stringContaining('No change was given.') });
    const vague = await cli('backtest', '--remove', 'x', '--explain', 'all');
    expect(vague).toMatchObject({ code: 2, stderr: expect.stringContaining('--explain must be a whole number.') });
  });

  test('suggest prints a policy that allows the past activities and passes check and backtest', async () => {
    const { code, stdout } = await cli('suggest', '--user', userId, '--json');
    expect(code).toBe(0);
    const { suggestions, left } = JSON.parse(stdout);
    expect(left).toEqual([]);
    expect(suggestions).toHaveLength(1);
    const [{ condition, evidence, policyName, effect, consensus, clauses }] = suggestions;
    expect(evidence.activities).toBe(2);
    expect(condition).toContain(`eth.tx.to == '${to}'`);
    expect(condition).toContain("tx.payments.total('eip155:1/slip44:60') <= 1000000000000000000");
    expect(clauses.map(({ why }: { why: string }) => why).join()).toContain('chains: 1 (2)');
    const policy = { policyName, effect, condition, consensus };
    const file = await service.folder.write('suggested.json', JSON.stringify(policy));
    expect((await runCli(['policy', 'check', file])).stdout).toContain('1 policy, 0 errors');
    expect((await cli('backtest', '--policy', file)).code).toBe(0);
    const text = await cli('suggest', '--user', userId);
    expect(text.stdout).toContain('2 activities');
    expect((await cli('suggest', '--user', 'nobody')).code).toBe(1);
  });

  test('the commands of the guide run unchanged', async () => {
    const guide = readFileSync(new URL('../../../docs/guide/policies.md', import.meta.url), 'utf8');
    const commands = [...guide.matchAll(/^npx countersign policy (.+)$/gm)].map(([, rest]) => rest as string);
    expect(commands.map((command) => command.split(' ')[0])).toEqual(['backtest', 'suggest', 'test']);
    const policy = { policyName: 'Pay', effect: 'EFFECT_ALLOW', condition: `eth.tx.to == '${to}'` };
    const file = await service.folder.write('payments.json', JSON.stringify(policy));
    for (const command of commands) {
      const argv = command
        .split(' ')
        .map(
          (word) => ({ 'payments.json': file, '"$USER_ID"': userId, history: join(service.folder.path, 'guide') })[word] ?? word,
        );
      const { code, stdout, stderr } = await cli(...argv);
      expect({ code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, stderr: '' });
    }
  });

  test('test --from-history writes cases that reproduce past decisions', async () => {
    const folder = join(service.folder.path, 'history');
    const { code, stdout, stderr } = await cli('test', '--from-history', '--since', '1d', folder);
    expect(stdout).toContain(' 0 failed');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\d+ cases in \d+ files?/);
    const cases = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).cases);
    expect(cases.map(({ expect: outcome }: { expect: string }) => outcome)).toContain('DENY');
    expect((await runCli(['policy', 'test', folder])).code).toBe(0);
    expect((await cli('test', '--from-history', '--since', '1d', folder)).stderr).toContain('already exists');
    const one = join(service.folder.path, 'one');
    const chosen = await cli('test', one, '--from-history', '--activity', denied);
    expect(chosen.stdout).toContain('1 passed, 0 failed');
  });
});
