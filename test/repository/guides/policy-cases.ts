import {
  ACME,
  allowance,
  assets,
  BLOCKED,
  COLD,
  ethereum,
  fee,
  type GuideRequest,
  HOT,
  SELF,
  STRANGER,
  send,
} from './policy-requests.ts';

const { eth, sepolia, sol, trx, btc, usdc, usdt } = assets;
const ETH = 10n ** 18n;
const USDC = 10n ** 6n;
const unknown = { kind: 'UNKNOWN', what: 'unknown call', to: ACME, bytes: 4 } as const;
const call = { kind: 'CALL', what: 'execute', to: ACME } as const;
const ROUTER = '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad';

const treasurers = [['<tag of the treasurers>'], ['<tag of the treasurers>']];
const withBoard = [...treasurers, ['<tag of the treasurers>', '<tag of the board>']];
const backend = [['<tag of the backend>']];
const officers = [['<tag of the officers>'], ['<tag of the officers>']];
const council = Array.from({ length: 3 }, () => ['<tag of the council>']);

const pay = (amount: bigint, to = ACME) => ethereum('<treasury wallet>', [send(usdc, amount, to), fee()]);
const salary = (to: string, amount: bigint, now: string): GuideRequest => ({
  ...ethereum('<payroll wallet>', [send(usdc, amount, to), fee()]),
  by: [['<tag of payroll>'], ['<tag of payroll>']],
  now,
});
const withdraw = (amount: bigint, cost = 10n ** 15n) => ({
  ...ethereum('<hot wallet>', [send(eth, amount, STRANGER), fee(cost)]),
  by: backend,
});
const solana = (amount: bigint, more: readonly ReturnType<typeof send>[] = []): GuideRequest => ({
  by: backend,
  wallet: '<hot wallet>',
  signed: ['solana.tx', { transfers: [{ from: SELF, to: STRANGER, amount }] }],
  effects: [send(sol, amount, STRANGER), fee(5_000n, sol), ...more],
});
const tron = (feeLimit: bigint, amount: bigint): GuideRequest => ({
  by: backend,
  wallet: '<hot wallet>',
  signed: ['tron.tx', { fee_limit: feeLimit }],
  effects: [send(usdt, amount, STRANGER), fee(feeLimit, trx)],
});
const bitcoin = (satoshis: bigint, amount: bigint): GuideRequest => ({
  by: backend,
  wallet: '<hot wallet>',
  signed: ['bitcoin.tx', { fee: satoshis }],
  effects: [send(btc, amount, STRANGER), fee(satoshis, btc)],
});
const vote = (name: string) => ({
  ...ethereum(
    '<delegate wallet>',
    [call, fee()],
    ['eth.tx', { to: '0x408ed6354d4973f66138c91495f2f2fcbd8724c3', function_name: name }],
  ),
  by: [['<tag of the delegate>']],
});
const permit = (amount: bigint | undefined, expires = 1_780_000_000n): GuideRequest => ({
  by: [['<tag of the traders>']],
  kind: 'SIGN_RAW_PAYLOAD',
  wallet: '<trading wallet>',
  signed: ['eth.eip_712', { primary_type: 'Permit', domain: { chain_id: 1n } }],
  effects: [allowance(ACME, amount, { permit: true, expires })],
});
const swap = (value: bigint, more: NonNullable<GuideRequest['effects']> = []) => ({
  ...ethereum(
    '<trading wallet>',
    [send(eth, value, ROUTER), call, fee(), ...more],
    ['eth.tx', { to: ROUTER, function_name: 'execute' }],
  ),
  by: [['<tag of the traders>']],
});
const client = (by: GuideRequest['by'], to = ACME) => ({
  ...ethereum('<wallet of client 17>', [send(eth, ETH, to), fee()]),
  by: by ?? [],
});
const exported = (wallet: string, credentialType?: GuideRequest['credentialType']): GuideRequest => ({
  by: officers,
  kind: 'EXPORT_WALLET',
  resource: 'WALLET',
  action: 'EXPORT',
  wallet,
  ...(credentialType !== undefined && { credentialType }),
});
const raw = (encoding: string): GuideRequest => ({ kind: 'SIGN_RAW_PAYLOADS', params: { encoding } });
const release = (tag: string): GuideRequest => ({
  by: [['<tag of the build>']],
  kind: 'SIGN_RAW_PAYLOAD',
  privateKeyTags: [tag],
  params: { hash_function: 'HASH_FUNCTION_SHA256' },
});
const deploy = (cost: bigint) => ({
  ...ethereum(
    '<deployment wallet>',
    [{ kind: 'CREATE', what: 'CONTRACT', from: SELF }, { ...unknown, what: 'code of the new contract' }, fee(cost, sepolia)],
    ['eth.tx', { chain_id: 11_155_111n, to: '', is_deployment: true, max_cost: cost }],
  ),
  by: [['<tag of the build>']],
});
const changePolicy = (count: number): GuideRequest => ({
  by: Array.from({ length: count }, () => ['<tag of the officers>']),
  kind: 'CREATE_POLICY',
  resource: 'POLICY',
  action: 'CREATE',
});

/** For every policy of docs/guide/policies.md: what it lets through, and what lies right next to it. */
export const policyCases: Readonly<
  Record<string, { readonly allowed: GuideRequest; readonly refused: readonly GuideRequest[] }>
> = {
  'Pay vendors': {
    allowed: { ...pay(25_000n * USDC), by: treasurers },
    refused: [
      { ...pay(25_000n * USDC + 1n), by: treasurers },
      { ...pay(USDC, STRANGER), by: treasurers },
      { ...pay(USDC), by: treasurers.slice(1) },
      {
        ...ethereum('<treasury wallet>', [send(usdc, 13_000n * USDC, ACME), send(usdc, 13_000n * USDC, ACME), fee()]),
        by: treasurers,
      },
      { ...ethereum('<treasury wallet>', [send(usdc, USDC, ACME), fee(ETH)]), by: treasurers },
      { ...ethereum('<treasury wallet>', [send(usdc, USDC, ACME), allowance(ACME, USDC), fee()]), by: treasurers },
    ],
  },
  'Pay large amounts': {
    allowed: { ...pay(900_000n * USDC), by: withBoard },
    refused: [
      { ...pay(900_000n * USDC), by: [...treasurers, ['<tag of the treasurers>']] },
      { ...pay(900_000n * USDC), by: [...treasurers, ['<tag of the treasurers>'], ['<tag of the board>']] },
      { ...ethereum('<treasury wallet>', [send(eth, 1n, ACME), fee()]), by: withBoard },
    ],
  },
  'Top up the hot wallet': {
    allowed: { ...ethereum('<treasury wallet>', [send(eth, 9n * ETH, HOT), fee()]), by: treasurers.slice(1) },
    refused: [
      { ...ethereum('<treasury wallet>', [send(eth, 9n * ETH, ACME), fee()]), by: treasurers },
      { ...ethereum('<treasury wallet>', [send(eth, 10n * ETH + 1n, HOT), fee()]), by: treasurers },
      { ...ethereum('<treasury wallet>', [send(usdc, 1n, HOT), fee()]), by: treasurers },
    ],
  },
  'Petty cash': {
    allowed: { ...ethereum('<office wallet>', [send(eth, ETH / 25n, ACME), fee()]), by: [['<tag of the office>']] },
    refused: [
      { ...ethereum('<office wallet>', [send(eth, ETH / 20n, ACME), fee()]), by: [['<tag of the office>']] },
      { ...ethereum('<office wallet>', [send(usdc, 1n, ACME), fee()]), by: [['<tag of the office>']] },
    ],
  },
  'Run payroll': {
    allowed: salary(ACME, 15_000n * USDC, '2026-03-25T10:00:00Z'),
    refused: [salary(ACME, 15_000n * USDC, '2026-03-26T10:00:00Z'), salary(STRANGER, USDC, '2026-03-25T10:00:00Z')],
  },
  'Payroll pays employees only': {
    allowed: salary(ACME, USDC, '2026-03-26T10:00:00Z'),
    refused: [
      salary(STRANGER, USDC, '2026-03-26T10:00:00Z'),
      ethereum('<payroll wallet>', [allowance(STRANGER, 1n), fee()]),
      ethereum('<payroll wallet>', [{ kind: 'CREATE', what: 'CONTRACT', from: SELF, asset: eth, amount: 100n * ETH }, fee()]),
      { kind: 'SIGN_RAW_PAYLOAD', wallet: '<payroll wallet>', params: { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' } },
      { kind: 'SIGN_RAW_PAYLOADS', wallet: '<payroll wallet>', params: { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' } },
      {
        kind: 'SIGN_RAW_PAYLOAD',
        wallet: '<payroll wallet>',
        signed: ['eth.eip_712', { domain: { chain_id: 1n } }],
        effects: [allowance(ACME, 1n, { permit: true })],
      },
    ],
  },
  'Withdraw ether': { allowed: withdraw(2n * ETH), refused: [withdraw(2n * ETH + 1n), withdraw(1n, ETH / 100n)] },
  'Sweep deposits': {
    allowed: { ...ethereum('<deposit wallet>', [send(usdc, 5n, COLD), fee()]), by: backend },
    refused: [{ ...ethereum('<deposit wallet>', [send(usdc, 5n, HOT), fee()]), by: backend }],
  },
  'Withdraw SOL': {
    allowed: solana(50n * 10n ** 9n),
    refused: [
      solana(1n, [send(usdt, 10n ** 12n, STRANGER)]),
      solana(50n * 10n ** 9n + 1n),
      { ...solana(1n), effects: [send(sol, 1n, STRANGER), fee(10n ** 9n, sol)] },
    ],
  },
  'Withdraw USDT on Tron': {
    allowed: tron(50_000_000n, 5_000n * USDC),
    refused: [tron(50_000_001n, 1n), tron(1n, 5_001n * USDC)],
  },
  'Withdraw bitcoin': { allowed: bitcoin(50_000n, 49_000_000n), refused: [bitcoin(50_001n, 1n), bitcoin(1n, 50_000_000n)] },
  'Little at night': {
    allowed: { ...withdraw(ETH), now: '2026-03-25T12:00:00Z' },
    refused: [
      { ...withdraw(ETH), now: '2026-03-25T23:00:00Z' },
      { ...ethereum('<hot wallet>', [send(usdc, 10n ** 12n, STRANGER), fee()]), by: backend, now: '2026-03-25T23:00:00Z' },
      { ...solana(10n ** 9n), now: '2026-03-25T23:00:00Z' },
      { kind: 'SIGN_RAW_PAYLOAD', wallet: '<hot wallet>', by: backend, now: '2026-03-25T23:00:00Z' },
    ],
  },
  'Blocked addresses': {
    allowed: ethereum('w', [send(usdc, 1n, ACME), fee()]),
    refused: [
      ethereum('w', [send(usdc, 1n, BLOCKED), fee()]),
      ethereum('w', [allowance(BLOCKED, 1n), fee()]),
      { kind: 'SIGN_RAW_PAYLOAD', signed: ['eth.eip_712', {}], effects: [allowance(BLOCKED, 1n, { permit: true })] },
    ],
  },
  'No unlimited allowances': {
    allowed: ethereum('w', [allowance(ACME, 5n), fee()]),
    refused: [ethereum('w', [allowance(ACME, undefined), fee()]), ethereum('w', [unknown, fee()])],
  },
  'Allowances for known protocols': {
    allowed: ethereum('w', [allowance(ACME, 5n), fee()]),
    refused: [ethereum('w', [allowance(STRANGER, 5n), fee()])],
  },
  'Nothing unknown': { allowed: ethereum('w', [fee()]), refused: [ethereum('w', [unknown, fee()])] },
  'No change of control': {
    allowed: ethereum('w', [fee()]),
    refused: [ethereum('w', [{ kind: 'AUTHORITY', what: 'delegate to the code', from: SELF, to: STRANGER }, fee()])],
  },
  'One chain for each signature': {
    allowed: ethereum('w', [fee()]),
    refused: [ethereum('w', [{ kind: 'REPLAYABLE', what: 'no chain id' }, fee()])],
  },
  'No digests': { allowed: raw('PAYLOAD_ENCODING_EIP712'), refused: [raw('PAYLOAD_ENCODING_HEXADECIMAL')] },
  'No large fees': {
    allowed: ethereum('w', [fee(ETH / 10n)]),
    refused: [ethereum('w', [fee(ETH / 10n + 1n)]), ethereum('w', [unknown])],
  },
  Vote: {
    allowed: vote('castVote'),
    refused: [
      vote('propose'),
      { ...vote('castVote'), effects: [call, { kind: 'AUTHORITY', what: 'delegate', from: SELF, to: STRANGER }, fee()] },
    ],
  },
  'Pay grants': {
    allowed: { ...ethereum('<grants wallet>', [send(eth, 5n * ETH, ACME), fee()]), by: council },
    refused: [
      { ...ethereum('<grants wallet>', [send(eth, 5n * ETH, ACME), fee()]), by: council.slice(1) },
      { ...ethereum('<grants wallet>', [send(eth, 6n * ETH, ACME), fee()]), by: council },
    ],
  },
  'Permit with a limit': {
    allowed: permit(1_000n * USDC),
    refused: [permit(1_001n * USDC), permit(undefined), permit(USDC, 2_000_000_000n)],
  },
  'Swap on one router': {
    allowed: swap(2n * ETH),
    refused: [
      swap(3n * ETH),
      swap(ETH, [allowance(STRANGER, 5n)]),
      swap(ETH, [send(usdc, 10n ** 12n, ROUTER)]),
      swap(ETH, [{ kind: 'TRANSFER', asset: usdc, from: SELF, to: STRANGER }]),
    ],
  },
  'Withdraw for a client': {
    allowed: client([['<tag of client 17>'], ['<tag of the officers>']]),
    refused: [
      client([['<tag of the officers>']]),
      client([['<tag of client 17>', '<tag of the officers>']]),
      client([['<tag of client 17>', '<tag of the officers>'], []]),
      client([['<tag of client 17>'], ['<tag of the officers>']], STRANGER),
    ],
  },
  'Export with two passkeys': {
    allowed: exported('w', 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'),
    refused: [
      exported('w'),
      exported('w', ['CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', 'CREDENTIAL_TYPE_API_KEY_P256']),
      {
        ...exported('w', [
          'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
          'CREDENTIAL_TYPE_API_KEY_P256',
          'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
        ]),
        by: [...officers, []],
      },
    ],
  },
  'The cold wallet stays': { allowed: exported('w'), refused: [exported('<cold wallet>')] },
  'Sign releases': { allowed: release('<tag of release keys>'), refused: [release('other')] },
  'Deploy to Sepolia': {
    allowed: deploy(ETH / 2n),
    refused: [
      deploy(ETH),
      {
        ...ethereum('<deployment wallet>', [send(sepolia, 1n, ACME), fee(1n, sepolia)], ['eth.tx', { chain_id: 11_155_111n }]),
        by: [['<tag of the build>']],
      },
    ],
  },
  'Change policies': { allowed: changePolicy(3), refused: [changePolicy(2)] },
};
