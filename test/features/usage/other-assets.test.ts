import { base58 } from '@scure/base';
import { beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
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
      await limitTransfers(root, 'dollars', { definition: [dollars], otherAssets: DENIED }, '100');
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
    await limitSol(root, '2');
    const signWith = await solanaAddress(root);
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

  test('D481: a limit on the number of transactions counts those that are signed as raw payloads', async () => {
    const { raw } = subject();
    const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'];
    const signs = "activity.kind == 'SIGN_TRANSACTION' && controls.few";
    const { id, member, address, root } = await limited(signs, (by) => limitSignatures(by, { threshold: '3', types }));
    await createPolicy(root, 'ALLOW', {
      condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
      consensus: userIs(member),
    });
    const form = { signWith: address, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' };
    const bytes = () => ethereum(address, {}).unsignedTransaction;
    const counted = async () => (await pointsOf(raw, id)).at(-1)?.total ?? 0n;
    const message = '00ff';
    expect((await member.caller.submit('signRawPayload', { ...form, payload: message })).status).toBe(200);
    expect(await counted()).toBe(0n);
    expect((await member.caller.submit('signRawPayload', { ...form, payload: bytes() })).status).toBe(200);
    expect(await counted()).toBe(ONE);
    const payloads = [bytes(), message];
    expect((await member.caller.with({ url: second.url }).submit('signRawPayloads', { ...form, payloads })).status).toBe(200);
    expect(await counted()).toBe(2n * ONE);
    const sign = () => member.caller.submit('signTransaction', ethereum(address, {}));
    expect((await sign()).status).toBe(200);
    expect((await sign()).status).toBe(403);
    // A DENY sees what is counted, and denies payloads that it cannot count.
    await createPolicy(root, 'DENY', { condition: "activity.action == 'SIGN' && !controls.few" });
    expect((await member.caller.submit('signRawPayload', { ...form, payload: bytes() })).status).toBe(403);
    const [{ velocityControlId }] = (await root.data('listVelocityControls', {})).velocityControls;
    await root.result('updateVelocityControl', { velocityControlId, newThreshold: '4' });
    expect((await member.caller.submit('signRawPayloads', { ...form, payloads: [bytes(), message] })).status).toBe(403);
    expect((await member.caller.submit('signRawPayload', { ...form, payload: bytes() })).status).toBe(200);
    expect(await counted()).toBe(4n * ONE);
  });

  test('D482: SOL that moves into the signer’s own account for wrapped SOL has not left, if the transaction proves whose it is', async () => {
    const { root, member } = await limited("activity.action == 'SIGN' && controls.sol", (by) => limitSol(by, '2'));
    const signWith = await solanaAddress(root);
    const wrap = (lamports: bigint, choice: Parameters<typeof wrapping>[2]) =>
      member.caller.submit('signTransaction', {
        signWith,
        unsignedTransaction: wrapping(signWith, lamports, choice),
        type: 'TRANSACTION_TYPE_SOLANA',
      });
    const much = 5_000n * 10n ** 9n;
    // The account program takes the account only if the named wallet owns it.
    expect((await wrap(much, { wallet: signWith })).status).toBe(200);
    expect((await wrap(much, { wallet: base58.encode(Buffer.alloc(32, 3)) })).status).toBe(403);
    // Nothing proves who owns the account.
    expect((await wrap(much, {})).status).toBe(403);
    // The rent of the account that was created counts.
    expect((await wrap(2n * 10n ** 9n, {})).status).toBe(403);
    expect((await wrap(19n * 10n ** 8n, {})).status).toBe(200);
    expect((await wrap(10n ** 8n, {})).status).toBe(403);
    // Closing it lets all of its SOL go, to the signer or to someone else.
    expect((await wrap(0n, { wallet: signWith, closesTo: signWith })).status).toBe(200);
    expect((await wrap(0n, { wallet: signWith, closesTo: base58.encode(Buffer.alloc(32, 3)) })).status).toBe(403);
  });

  test('D480: a signed permit counts as what it allows others to take', async () => {
    const dollars = { definition: [{ caip19: `eip155:1/erc20:${USDC}`, decimals: '6' }] };
    const { member, address } = await limited("activity.action == 'SIGN' && controls.dollars", (by) =>
      limitTransfers(by, 'dollars', dollars, '100'),
    );
    const caller = member.caller.with({ dialect: 'turnkey' });
    const form = { signWith: address, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
    const allow = (token: string, units: bigint) =>
      caller.submit('signRawPayload', { ...form, payload: realPermit(token, address, units) });
    const pay = (units: bigint) =>
      member.caller.submit('signTransaction', ethereum(address, { to: USDC, value: 0n, data: erc20Transfer(STRANGER, units) }));
    expect((await allow(USDC, 60_000_000n)).status).toBe(200);
    expect((await allow(USDC, 40_000_001n)).status).toBe(403);
    expect((await allow(DAI, 1n)).status).toBe(403);
    expect((await pay(40_000_001n)).status).toBe(403);
    expect((await pay(40_000_000n)).status).toBe(200);
    expect((await allow(USDC, 1n)).status).toBe(403);
    // The specification has no typed data.
    const spec = await member.caller.submit('signRawPayload', { ...form, payload: realPermit(USDC, address, 1n) });
    expect(spec.status).toBe(400);
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

/** EIP-2612: typed data that lets a stranger take tokens of the owner. */
function realPermit(token: string, owner: string, value: bigint): string {
  const field = (name: string, type: string) => ({ name, type });
  return JSON.stringify({
    types: {
      EIP712Domain: [field('name', 'string'), field('chainId', 'uint256'), field('verifyingContract', 'address')],
      Permit: [
        field('owner', 'address'),
        field('spender', 'address'),
        field('value', 'uint256'),
        field('nonce', 'uint256'),
        field('deadline', 'uint256'),
      ],
    },
    primaryType: 'Permit',
    domain: { name: 'Token', chainId: 1, verifyingContract: token },
    message: { owner, spender: STRANGER, value: value.toString(), nonce: 0, deadline: 4_000_000_000 },
  });
}

/** A limit on the sum of transfers in all time. */
function limitTransfers(root: Caller, identifier: string, chainAssetTransfer: object, threshold: string): Promise<unknown> {
  return root.result('createVelocityControl', {
    name: uniqueName(identifier),
    identifier,
    dataSource: { chainAssetTransfer },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold,
      window: { infinite: {} },
      groupBy: { organization: {} },
    },
  });
}

const limitSol = (root: Caller, threshold: string) =>
  limitTransfers(root, 'sol', { definition: [{ caip19: SOL, decimals: '9' }] }, threshold);

async function solanaAddress(root: Caller): Promise<string> {
  const account = {
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/501'/0'/0'",
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  };
  return (await root.result('createWallet', { walletName: uniqueName('Sol'), accounts: [account] })).addresses[0];
}

const SYSTEM = base58.encode(Buffer.alloc(32));
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ACCOUNT_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const NATIVE_MINT = 'So11111111111111111111111111111111111111112';

/**
 * A legacy message of Solana that wraps SOL: it creates the account for `wallet` unless it exists, moves lamports into it and counts them
 * as tokens. `closesTo` closes it instead.
 */
function wrapping(signer: string, lamports: bigint, { wallet, closesTo }: { wallet?: string; closesTo?: string }): string {
  const account = base58.encode(Buffer.alloc(32, 7));
  const names = [
    ...new Set([signer, account, closesTo ?? account, wallet ?? signer, NATIVE_MINT, SYSTEM, TOKEN_PROGRAM, ACCOUNT_PROGRAM]),
  ];
  const instruction = (program: string, accounts: readonly string[], data: Buffer) =>
    Buffer.concat([
      Buffer.of(names.indexOf(program), accounts.length, ...accounts.map((name) => names.indexOf(name)), data.length),
      data,
    ]);
  const move = Buffer.alloc(12);
  move.writeUInt32LE(2, 0);
  move.writeBigUInt64LE(lamports, 4);
  const calls = [
    // CreateIdempotent
    ...(wallet === undefined
      ? []
      : [instruction(ACCOUNT_PROGRAM, [signer, account, wallet, NATIVE_MINT, SYSTEM, TOKEN_PROGRAM], Buffer.of(1))]),
    ...(closesTo === undefined
      ? // System program: Transfer. Token program: SyncNative.
        [instruction(SYSTEM, [signer, account], move), instruction(TOKEN_PROGRAM, [account], Buffer.of(17))]
      : // Token program: CloseAccount.
        [instruction(TOKEN_PROGRAM, [account, closesTo, signer], Buffer.of(9))]),
  ];
  const head = Buffer.of(1, 0, 4, names.length);
  const keys = names.map((name) => Buffer.from(base58.decode(name)));
  const message = Buffer.concat([head, ...keys, Buffer.alloc(32, 9), Buffer.of(calls.length), ...calls]);
  return Buffer.concat([Buffer.of(1), Buffer.alloc(64), message]).toString('hex');
}

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
