import { AbiFunction, type Address } from 'ox';
import { encode } from '../tron/oracle.ts';
import { bytesOf, type HostileSignature, transaction } from './placeholders.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const self = bytes(`41${bytesOf('self', 20)}`);
const to = bytes(`41${bytesOf('to', 20)}`);
const usdt = bytes('41a614f803b6fd780986a42c78ec9c7f77e6ded13c');
const unlisted = bytes(`41${'0bad'.repeat(10)}`);
const TRX = 1_000_000n;
const toAddress = `0x${bytesOf('to', 20)}` as Address.Address;
const call = (signature: string, ...args: readonly unknown[]) =>
  bytes(
    AbiFunction.encodeData(AbiFunction.from(`function ${signature}` as never) as AbiFunction.AbiFunction, args as never).slice(2),
  );

/** The numbers of contract types in https://github.com/tronprotocol/protocol. */
const types = {
  TransferContract: 1,
  TransferAssetContract: 2,
  TriggerSmartContract: 31,
  AccountPermissionUpdateContract: 46,
  DelegateResourceContract: 57,
} as const;

/** A transaction of one contract, written by protobufjs. */
function send(
  id: string,
  harm: string,
  name: keyof typeof types,
  fields: Readonly<Record<string, unknown>>,
  feeLimit = 30n * TRX,
): HostileSignature {
  const value = encode(name, { owner_address: self, ...fields });
  const parameter = { type_url: `type.googleapis.com/protocol.${name}`, value };
  const raw = encode('Raw', {
    ref_block_bytes: bytes('a1b2'),
    ref_block_hash: bytes('0102030405060708'),
    expiration: '1700000060000',
    contract: [{ type: types[name], parameter }],
    timestamp: '1700000000000',
    ...(name === 'TriggerSmartContract' && { fee_limit: feeLimit.toString() }),
  });
  return transaction({ id: `tron/${id}`, harm, chain: 'tron' }, Buffer.from(raw).toString('hex'));
}

const trigger = (id: string, harm: string, contract: Buffer, data: Buffer, feeLimit?: bigint) =>
  send(id, harm, 'TriggerSmartContract', { contract_address: contract, data }, feeLimit);
const transfer = (amount: bigint) => call('transfer(address to, uint256 amount)', toAddress, amount);
const coin = (id: string, harm: string, amount: bigint) =>
  send(id, harm, 'TransferContract', { to_address: to, amount: amount.toString() });
const permission = (type: string, name: string) => ({
  type,
  permission_name: name,
  threshold: '1',
  keys: [{ address: to, weight: '1' }],
});

/** Hostile transactions of Tron. */
export const tronTransactions: readonly HostileSignature[] = [
  coin('coin-huge', 'coin', 1_000_000_000n * TRX),
  coin('coin-small', 'small-coin', TRX),
  trigger('token-huge', 'token', usdt, transfer(10n ** 15n)),
  trigger('token-small', 'small-token', usdt, transfer(TRX)),
  trigger('unlisted-token', 'other-token', unlisted, transfer(10n ** 15n)),
  send('trc10', 'other-token', 'TransferAssetContract', {
    asset_name: Buffer.from('1002000'),
    to_address: to,
    amount: (10n ** 15n).toString(),
  }),
  trigger('approve', 'allowance', usdt, call('approve(address spender, uint256 amount)', toAddress, 2n ** 256n - 1n)),
  trigger('unknown-call', 'unknown-call', unlisted, bytes('deadbeef')),
  trigger('fee', 'fee', usdt, transfer(1n), 15_000n * TRX),
  send('permission', 'authority', 'AccountPermissionUpdateContract', {
    owner: permission('Owner', 'owner'),
    actives: [{ ...permission('Active', 'active'), id: 2, operations: bytes('7f'.repeat(32)) }],
  }),
  send('delegate-resource', 'lock', 'DelegateResourceContract', {
    resource: 'ENERGY',
    balance: (1_000_000n * TRX).toString(),
    receiver_address: to,
  }),
];
