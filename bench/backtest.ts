import { generateKeyPairSync } from 'node:crypto';
import { ApiKeyStamper, type Client, completed, createClient } from '@countersign/client';
import { runBacktest } from '../packages/cli/src/policy/run-backtest.ts';
import { ethereumTransaction } from '../test/features/policies/transactions.ts';
import type { Bench, Report } from './bench.ts';
import { cpuMicrosOf, descendantsOf } from './cpu-time.ts';
import { describeMachine, type Machine } from './machine.ts';
import { shown } from './report/numbers.ts';
import { renderTable } from './report/table.ts';
import { startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { timed } from './timed.ts';

/** Concurrent requests while the activities are created. */
const TOGETHER = 32;
/** Policies in addition to the one that allows the signatures. */
const POLICIES = 50;
const RECEIVERS = 20;

/** The document that `--json` prints. */
interface BacktestResult {
  readonly bench: 'backtest';
  readonly machine: Machine;
  readonly activities: number;
  readonly makeSeconds: number;
  readonly sameSeconds: number;
  /** CPU time of the server during `sameSeconds`. */
  readonly sameCpuSeconds: number;
  readonly changedSeconds: number;
  readonly flips: number;
}

const receiver = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}`;

/** How long it takes to try a change of policies on many past signatures. */
export const backtest: Bench = {
  summary: 'a change of policies tried on many past signatures',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const { target, pid } = await startServerProcess(leftovers, 1);
    const url = `http://${target.host}:${target.port}`;
    const { organizationId } = target;
    const root = createClient({ baseUrl: url, organizationId, stamper: new ApiKeyStamper(target) });
    const signer = await setUp(root);
    const stamper = new Stamper(signer);
    const makeSeconds = await timed(async () => {
      let created = 0;
      const work = async () => {
        while (created < options.activities) {
          const number = created++;
          if (number % 1_000 === 0) progress(`${number.toLocaleString('en')} signatures`);
          const body = JSON.stringify({
            type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
            timestampMs: String(Date.now()),
            organizationId,
            parameters: {
              signWith: signer.address,
              type: 'TRANSACTION_TYPE_ETHEREUM',
              unsignedTransaction: ethereumTransaction({
                to: receiver(number % RECEIVERS),
                value: BigInt(number % 1000),
                nonce: BigInt(number),
              }),
            },
          });
          const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
          const response = await fetch(`${url}/public/v1/submit/sign_transaction`, { method: 'POST', headers, body });
          if (!response.ok) throw new Error(await response.text());
          await response.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, work));
    });
    const run = (policies: Parameters<typeof runBacktest>[1]['policies'], what: string) =>
      runBacktest(root, { policies, range: { last: options.activities } }, (read) =>
        progress(`${read.toLocaleString('en')} judged ${what}`),
      );
    const cpuBefore = cpuMicrosOf([pid, ...descendantsOf(pid)]);
    const sameSeconds = await timed(async () => {
      const same = await run({}, 'without a change');
      if (same.judged !== options.activities || same.flips.length > 0)
        throw new Error(`the past is not reproduced: ${JSON.stringify(same.unknown)}`);
    });
    const sameCpuSeconds = (cpuMicrosOf([pid, ...descendantsOf(pid)]) - cpuBefore) / 1e6;
    let flips = 0;
    const changedSeconds = await timed(async () => {
      const tight = { policyName: 'Tight', effect: 'EFFECT_DENY' as const, condition: 'eth.tx.value > 997' };
      flips = (await run({ add: [tight] }, 'with a change')).flips.length;
    });
    return backtestReport({
      bench: 'backtest',
      machine,
      activities: options.activities,
      makeSeconds,
      sameSeconds,
      sameCpuSeconds,
      changedSeconds,
      flips,
    });
  },
};

/** A user who is not of the root quorum, a wallet, and policies. */
async function setUp(root: Client) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-64);
  const apiPrivateKey = Buffer.from(d, 'base64url').toString('hex');
  const prefix = (point[63] as number) % 2 === 0 ? '02' : '03';
  const apiPublicKey = prefix + point.subarray(0, 32).toString('hex');
  const apiKeys = [{ apiKeyName: 'Key', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' as const }];
  const user = { userName: 'Signer', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
  const { userIds } = completed(await root.createUsers({ users: [user] }));
  const account = {
    curve: 'CURVE_SECP256K1' as const,
    pathFormat: 'PATH_FORMAT_BIP32' as const,
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM' as const,
  };
  const { addresses } = completed(await root.createWallet({ walletName: 'Wallet', accounts: [account] }));
  const effect = 'EFFECT_ALLOW' as const;
  const consensus = `approvers.any(user, user.id == '${userIds[0]}')`;
  const receivers = Array.from({ length: RECEIVERS }, (_, index) => `'${receiver(index)}'`).join(', ');
  const condition = `eth.tx.to in [${receivers}] && eth.tx.value < 1000`;
  await root.createPolicy({ policyName: 'Payments', effect, condition, consensus });
  const others = Array.from({ length: POLICIES }, (_, index) => ({
    policyName: `Other ${index}`,
    effect,
    condition: `eth.tx.to == '${receiver(1000 + index)}' && eth.tx.value < ${index}`,
    consensus,
  }));
  await root.createPolicies({ policies: others });
  return { apiPublicKey, apiPrivateKey, address: addresses[0] as string };
}

function backtestReport(result: BacktestResult): Report {
  const { machine, activities, makeSeconds, sameSeconds, sameCpuSeconds, changedSeconds, flips } = result;
  const row = (what: string, seconds: number) => [what, shown(seconds, 1), shown((seconds * 1e6) / activities, 0)];
  return {
    json: result,
    text: (paint) =>
      [
        paint('bold', `A backtest over ${shown(activities, 0)} signatures`),
        paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}`),
        '',
        renderTable(
          [
            { title: 'step', align: 'left' },
            { title: 'seconds', align: 'right' },
            { title: 'µs each', align: 'right' },
          ],
          [
            row('sign', makeSeconds),
            row('backtest without a change', sameSeconds),
            row('  of that, the processor time of the server', sameCpuSeconds),
            row(`backtest that flips ${shown(flips, 0)}`, changedSeconds),
          ],
          paint,
        ),
      ].join('\n'),
  };
}
