import { AbiFunction, AbiParameters, type Address, type Hex, TxEnvelopeEip1559, TxEnvelopeEip7702, TxEnvelopeLegacy } from 'ox';
import { bytesOf, type HostileSignature, transaction } from './placeholders.ts';

const at = (hex: string) => `0x${hex}` as Address.Address;
const self = at(bytesOf('self', 20));
const to = at(bytesOf('to', 20));
const token = at(bytesOf('token', 20));
const dai = at('6b175474e89094c44da98b954eedeac495271d0f');
const weth = at('c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2');
const unlisted = at('00000000000000000000000000000000000bad01');
const multicall3 = at('ca11bde05977b3631167028862be2a173976ca11');
const permit2 = at('000000000022d473030f116ddee9f6b43ac78ba3');
const router = at('3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad');
const ETH = 10n ** 18n;
const GWEI = 10n ** 9n;
const MAX = 2n ** 256n - 1n;
const HUGE = 10n ** 24n;

const call = (signature: string, ...args: readonly unknown[]): Hex.Hex =>
  AbiFunction.encodeData(AbiFunction.from(`function ${signature}` as never) as AbiFunction.AbiFunction, args as never);

interface Fields {
  readonly to?: Address.Address;
  readonly value?: bigint;
  readonly data?: Hex.Hex;
  readonly chainId?: number;
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
}

/** An EIP-1559 transaction with a fee of at most 0.0006 ether, below what careful policies allow. */
function envelope({ chainId = 1, gas = 60_000n, maxFeePerGas = 10n * GWEI, value = 0n, ...rest }: Fields) {
  return { chainId, nonce: 7n, gas, maxFeePerGas, maxPriorityFeePerGas: GWEI, value, ...rest };
}

const send = (id: string, harm: string, fields: Fields): HostileSignature =>
  transaction({ id: `ethereum/${id}`, harm, chain: 'ethereum' }, TxEnvelopeEip1559.serialize(envelope(fields) as never));

const execute = (input: Hex.Hex, command: Hex.Hex) =>
  call('execute(bytes commands, bytes[] inputs, uint256 deadline)', command, [input], 2_000_000_000n);
const transferInput = AbiParameters.encode(AbiParameters.from('address, address, uint160'), [token, to, HUGE]);
const safeCall = (target: Address.Address, data: Hex.Hex, operation: number) =>
  call(
    'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
    target,
    0n,
    data,
    operation,
    0n,
    0n,
    0n,
    at('0'.repeat(40)),
    at('0'.repeat(40)),
    `0x${'11'.repeat(65)}`,
  );
const approve = call('approve(address spender, uint256 amount)', to, MAX);
const transferHuge = call('transfer(address to, uint256 amount)', to, HUGE);

/** Hostile transactions of Ethereum, written by ox. */
export const ethereumTransactions: readonly HostileSignature[] = [
  send('coin-huge', 'coin', { to, value: 1_000_000n * ETH }),
  send('coin-small', 'small-coin', { to, value: ETH / 1000n }),
  send('token-huge', 'token', { to: token, data: transferHuge }),
  send('token-small', 'small-token', { to: token, data: call('transfer(address to, uint256 amount)', to, 1_000_000n) }),
  send('token-with-coin', 'token', { to: token, value: 1n, data: transferHuge }),
  send('token-transfer-from', 'token', {
    to: token,
    data: call('transferFrom(address from, address to, uint256 amount)', self, to, HUGE),
  }),
  send('other-token', 'other-token', { to: dai, data: transferHuge }),
  send('unlisted-token', 'other-token', { to: unlisted, data: transferHuge }),
  send('wrapped-coin', 'other-token', { to: weth, data: transferHuge }),
  send('nft', 'nft', {
    to: unlisted,
    data: call('safeTransferFrom(address from, address to, uint256 tokenId)', self, to, 1n),
  }),
  send('approve', 'allowance', { to: token, data: approve }),
  send('approve-other', 'allowance', { to: dai, data: approve }),
  send('approve-small', 'small-allowance', { to: token, data: call('approve(address spender, uint256 amount)', to, 1n) }),
  send('increase-allowance', 'allowance', {
    to: token,
    data: call('increaseAllowance(address spender, uint256 addedValue)', to, MAX),
  }),
  send('set-approval-for-all', 'allowance', {
    to: unlisted,
    data: call('setApprovalForAll(address operator, bool approved)', to, true),
  }),
  send('permit2-approve', 'allowance', {
    to: permit2,
    data: call(
      'approve(address token, address spender, uint160 amount, uint48 expiration)',
      token,
      to,
      2n ** 160n - 1n,
      2_000_000_000,
    ),
  }),
  send('multicall', 'batch', {
    to: multicall3,
    data: call('aggregate3((address target, bool allowFailure, bytes callData)[] calls)', [
      { target: token, allowFailure: false, callData: transferHuge },
    ]),
  }),
  send('multicall-of-token', 'batch', { to: token, data: call('multicall(bytes[] data)', [transferHuge]) }),
  send('router-permit2-transfer', 'batch', { to: router, data: execute(transferInput, '0x02') }),
  send('safe-call', 'safe', { to: token, data: safeCall(token, transferHuge, 0) }),
  send('safe-delegatecall', 'safe', { to: token, data: safeCall(to, '0xdeadbeef', 1) }),
  send('safe-delegatecall-unknown', 'safe', { to: unlisted, data: safeCall(to, '0xdeadbeef', 1) }),
  send('transfer-ownership', 'authority', { to: token, data: call('transferOwnership(address newOwner)', to) }),
  send('wrap', 'lock', { to: weth, value: 1000n * ETH, data: call('deposit()') }),
  send('create-with-coin', 'create', { value: 100n * ETH, data: '0x600080600a6000396000f3' }),
  send('create', 'create-empty', { data: '0x600080600a6000396000f3' }),
  send('unknown-call', 'unknown-call', { to, data: '0xdeadbeef' }),
  send('unknown-call-of-token', 'unknown-call', { to: token, data: '0xdeadbeef' }),
  send('unknown-call-with-coin', 'coin', { to, value: 1_000_000n * ETH, data: '0xdeadbeef' }),
  send('no-transfer', 'nothing', { to, value: 0n }),
  send('fee', 'fee', { to, value: 0n, gas: 30_000_000n, maxFeePerGas: 4_000n * GWEI }),
  send('fee-of-token', 'fee', { to: token, data: transferHuge, gas: 30_000_000n, maxFeePerGas: 4_000n * GWEI }),
  send('another-chain', 'chain', { to, value: 1_000_000n * ETH, chainId: 56 }),
  send('another-chain-token', 'chain', { to: token, data: transferHuge, chainId: 137 }),
  send('another-chain-small', 'small-chain', { to, value: ETH / 1000n, chainId: 56 }),
  transaction(
    { id: 'ethereum/no-chain', harm: 'replayable', chain: 'ethereum' },
    TxEnvelopeLegacy.serialize({ to, value: 1_000_000n * ETH, nonce: 7n, gas: 60_000n, gasPrice: 10n * GWEI } as never),
  ),
  transaction(
    { id: 'ethereum/delegation', harm: 'authority', chain: 'ethereum' },
    TxEnvelopeEip7702.serialize({
      ...envelope({ to, value: 0n }),
      authorizationList: [
        { address: to, chainId: 1, nonce: 8n, r: `0x${'11'.repeat(32)}`, s: `0x${'12'.repeat(32)}`, yParity: 0 },
      ],
    } as never),
  ),
  {
    ...send('first-version', 'coin', { to, value: 1_000_000n * ETH }),
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
    parameters: {
      privateKeyId: '<key>',
      unsignedTransaction: send('', '', { to, value: 1_000_000n * ETH }).parameters.unsignedTransaction,
      type: 'TRANSACTION_TYPE_ETHEREUM',
    },
  },
];
