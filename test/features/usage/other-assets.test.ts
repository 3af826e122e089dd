import { base58 } from '@scure/base';
import { beforeAll, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signParams, uniqueName } from '../../support/world.ts';
import { createPolicy, memberAt, userIs } from '../policies/support.ts';
import { corpusTransaction, erc20Transfer, ethereumTransaction } from '../policies/transactions.ts';
import { createLimited, limitEther, limitSignatures, ONE, pointsOf } from './support.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const STRANGER = `0x${'5a'.repeat(20)}`;
const FREE = 'VELOCITY_CONTROL_OTHER_ASSETS_FREE';
const DENIED = 'VELOCITY_CONTROL_OTHER_ASSETS_DENIED';
const spends = "activity.action == 'SIGN' && controls.ether";
const SOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501';

/** Call data of ERC-20 `approve(address,uint256)` for everything. */
const approveAll = `0x095ea7b3${STRANGER.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;

let nonce = 0n;
const ethereum = (signWith: string, fields: Parameters<typeof ethereumTransaction>[0]) => {
  nonce += 1n;
  return { signWith, unsignedTransaction: ethereumTransaction({ nonce, ...fields }), type: 'TRANSACTION_TYPE_ETHEREUM' };
};

describeEngines('limits with nothing beside them', (subject) => {
  let second: TestService;

  beforeAll(async () => {
    second = await startService(subject().installation);
    return () => second.close();
  });

  const limited = (...given: Parameters<typeof createLimited> extends [unknown, ...infer Rest] ? Rest : never) =>
    createLimited(subject().service.root, ...given);

  test('D480: a limit on ether signs no token or allowance, and ether within it', async () => {
    const { spend, member, address, root } = await limited(spends, (by) => limitEther(by, { threshold: '2' }));
    const sign = (fields: Parameters<typeof ethereumTransaction>[0]) =>
      member.caller.submit('signTransaction', ethereum(address, fields));
    const token = { to: USDC, value: 0n };
    const paid = await sign({ ...token, data: erc20Transfer(STRANGER, 10n ** 15n) });
    expect(paid.status).toBe(403);
    const { decision } = await root.data('simulateActivity', {
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
      parameters: ethereum(address, { ...token, data: erc20Transfer(STRANGER, 1n) }),
      approverIds: [member.userId],
      explain: true,
    });
    expect(decision.text).toContain('it denies other assets, and this request moves USDC');
    expect((await sign({ ...token, data: approveAll })).status).toBe(403);
    expect((await spend(1_500)).status).toBe(200);
    expect((await spend(501)).status).toBe(403);
  });

  test('D480: two limits allow both assets, and free assets are free', async () => {
    const dollars = { caip19: `eip155:1/erc20:${USDC}`, decimals: '6' };
    const organization = await limited(`${spends} && controls.dollars`, async (root) => {
      await limitEther(root, { threshold: '2' });
      await root.result('createVelocityControl', {
        name: uniqueName('Dollars'),
        identifier: 'dollars',
        dataSource: { chainAssetTransfer: { definition: [dollars], otherAssets: DENIED } },
        aggregation: {
          method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
          operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
          threshold: '100',
          window: { infinite: {} },
          groupBy: { organization: {} },
        },
      });
    });
    const { root, member, address, spend } = organization;
    const pay = (units: bigint, to = USDC) =>
      member.caller.submit('signTransaction', ethereum(address, { to, value: 0n, data: erc20Transfer(STRANGER, units) }));
    expect((await pay(100_000_000n)).status).toBe(200);
    expect((await pay(1n)).status).toBe(403);
    expect((await spend(1_000)).status).toBe(200);
    expect((await pay(1n, DAI)).status).toBe(403);
    const { velocityControls } = await root.data('listVelocityControls', {});
    for (const { velocityControlId, text } of velocityControls) {
      expect(text).toMatch(/^At most .* in all time, in the whole organization\. Other assets: denied\.$/);
      await root.result('updateVelocityControl', { velocityControlId, otherAssets: FREE });
    }
    expect((await pay(1n, DAI)).status).toBe(200);
    expect((await pay(1n)).status).toBe(403);
    const [changed] = (await root.data('listVelocityControls', {})).velocityControls;
    expect(changed.text).toContain('Other assets: free.');
  });

  test('D482: wrapped ether counts as ether at both services, and wrapped SOL as SOL', async () => {
    const { raw } = subject();
    const { id, spend, member, address, root } = await limited(spends, (by) => limitEther(by, { threshold: '2' }));
    const wrapped = { to: WETH, value: 0n, data: erc20Transfer(STRANGER, 15n * 10n ** 17n) };
    expect((await member.caller.submit('signTransaction', ethereum(address, wrapped))).status).toBe(200);
    expect((await spend(501, second.url)).status).toBe(403);
    expect((await spend(500, second.url)).status).toBe(200);
    expect((await pointsOf(raw, id)).at(-1)?.total).toBe(2n * ONE);
    await root.result('createVelocityControl', {
      name: uniqueName('Sol'),
      identifier: 'sol',
      dataSource: { chainAssetTransfer: { definition: [{ caip19: SOL, decimals: '9' }] } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold: '2',
        window: { infinite: {} },
        groupBy: { organization: {} },
      },
    });
    const account = {
      curve: 'CURVE_ED25519',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/501'/0'/0'",
      addressFormat: 'ADDRESS_FORMAT_SOLANA',
    };
    const made = await root.result('createWallet', { walletName: uniqueName('Sol'), accounts: [account] });
    const signWith = made.addresses[0] as string;
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN' && controls.sol", consensus: userIs(member) });
    const leave = (mint: string, lamports: bigint) =>
      member.caller.submit('signTransaction', {
        signWith,
        unsignedTransaction: tokenTransfer(signWith, mint, lamports),
        type: 'TRANSACTION_TYPE_SOLANA',
      });
    const WSOL = 'So11111111111111111111111111111111111111112';
    expect((await leave(WSOL, 5_000n * 10n ** 9n)).status).toBe(403);
    expect((await leave('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP', 3n * 10n ** 9n)).status).toBe(403);
    expect((await leave(WSOL, 2n * 10n ** 9n)).status).toBe(200);
    expect((await leave(WSOL, 1n)).status).toBe(403);
    expect((await leave('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 1n)).status).toBe(403);
    const sol = corpusTransaction('solana', 'transfer, version 0 message', signWith).unsignedTransaction;
    const more = await member.caller.submit('signTransaction', {
      signWith,
      unsignedTransaction: sol,
      type: 'TRANSACTION_TYPE_SOLANA',
    });
    expect(more.status).toBe(403);
  });

  test('D484: a payment without a chain id counts, and an ALLOW on a limit does not sign it', async () => {
    const { raw } = subject();
    const { id, spend, member, address, root } = await limited(spends, (by) => limitEther(by, { threshold: '2' }));
    const chainless = { type: 'legacy' as const, chainId: null, value: 15n * 10n ** 17n };
    expect((await member.caller.submit('signTransaction', ethereum(address, chainless))).status).toBe(403);
    expect((await root.submit('signTransaction', ethereum(address, chainless))).status).toBe(200);
    expect((await pointsOf(raw, id)).at(-1)?.total).toBe((15n * ONE) / 10n);
    expect((await spend(501)).status).toBe(403);
    expect((await spend(500)).status).toBe(200);
  });

  test('D483: a batch counts each of its signatures, at both services', async () => {
    const types = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'];
    const signs = "activity.action == 'SIGN' && controls.few";
    const { member, address, sign } = await limited(signs, (root) => limitSignatures(root, { threshold: '3', types }));
    const { payload, ...rest } = signParams(address);
    const batch = (size: number) => ({ ...rest, payloads: Array.from({ length: size }, (_, at) => `${payload}${at}`) });
    expect((await member.caller.submit('signRawPayloads', batch(4))).status).toBe(403);
    expect((await member.caller.submit('signRawPayloads', batch(2))).status).toBe(200);
    expect((await member.caller.with({ url: second.url }).submit('signRawPayloads', batch(2))).status).toBe(403);
    expect((await sign(second.url)).status).toBe(200);
    expect((await sign()).status).toBe(403);
  });

  test('D481: a limit on one kind of signing does not make the others free', async () => {
    const signs = "activity.action == 'SIGN' && controls.few";
    const { member, address, sign } = await limited(signs, (root) => limitSignatures(root, { threshold: '3' }));
    const { payload, ...rest } = signParams(address);
    expect((await member.caller.submit('signRawPayloads', { ...rest, payloads: [payload] })).status).toBe(403);
    expect((await member.caller.submit('signTransaction', ethereum(address, {}))).status).toBe(403);
    expect((await sign()).status).toBe(200);
  });

  test('D489: a policy on the threshold of a limit does not free the other assets', async () => {
    const organization = await limited(spends, (by) => limitEther(by, { threshold: '2' }));
    const { root, member } = organization;
    const other = memberAt(organization, 1);
    const [{ velocityControlId }] = (await root.data('listVelocityControls', {})).velocityControls;
    const condition = "activity.kind == 'UPDATE_VELOCITY_CONTROL' && activity.params.new_threshold in ['1', '2']";
    await createPolicy(root, 'ALLOW', { condition, consensus: userIs(member) });
    const named = `${condition} && activity.params.other_assets == '${FREE}'`;
    await createPolicy(root, 'ALLOW', { condition: named, consensus: userIs(other) });
    const change = (who: typeof member, more: object) =>
      who.caller.submit('updateVelocityControl', { velocityControlId, ...more });
    expect((await change(member, { otherAssets: FREE })).status).toBe(403);
    expect((await change(member, { newThreshold: '1', otherAssets: FREE })).status).toBe(403);
    expect((await change(member, { newThreshold: '1' })).status).toBe(200);
    expect((await change(other, { otherAssets: FREE })).status).toBe(200);
    expect((await change(member, { newThreshold: '2', otherAssets: DENIED })).status).toBe(200);
  });
});

/** A legacy message of Solana: TransferChecked of the Token program from an account of the signer to one of a stranger. */
function tokenTransfer(signer: string, mint: string, amount: bigint): string {
  const program = mint.startsWith('9pan')
    ? 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
    : 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const keys = [base58.decode(signer), Buffer.alloc(32, 7), Buffer.alloc(32, 8), base58.decode(mint), base58.decode(program)];
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(amount, 1);
  data[9] = mint.startsWith('EPjF') ? 6 : 9;
  // One signature, two read-only accounts without a signature, five keys, the block hash and one instruction with four accounts.
  const head = Buffer.of(1, 0, 2, keys.length);
  const call = Buffer.concat([Buffer.of(1, 4, 4, 1, 3, 2, 0, data.length), data]);
  const message = Buffer.concat([head, ...keys.map((key) => Buffer.from(key)), Buffer.alloc(32, 9), call]);
  return Buffer.concat([Buffer.of(1), Buffer.alloc(64), message]).toString('hex');
}
