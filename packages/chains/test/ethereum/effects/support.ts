import { AbiFunction, TxEnvelopeEip1559 } from 'ox';
import { defaultTokens } from '../../../src/effects/default-tokens.ts';
import { type EthereumTransaction, ethereumTransaction } from '../../../src/ethereum/index.ts';
import type { ContractInterface, ParseContext } from '../../../src/transaction.ts';
import { signer } from '../support.ts';

/** The address of the key that signs in these tests. */
export const self = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f';
export const friend = `0x${'35'.repeat(20)}` as const;
export const stranger = `0x${'66'.repeat(20)}` as const;
export const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' as const;
export const dai = '0x6b175474e89094c44da98b954eedeac495271d0f' as const;
export const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' as const;
export const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3' as const;
export const maxUint256 = 2n ** 256n - 1n;

export const usdcAsset = { id: `eip155:1/erc20:${usdc}`, kind: 'TOKEN', symbol: 'USDC', decimals: 6 };
export const daiAsset = { id: `eip155:1/erc20:${dai}`, kind: 'TOKEN', symbol: 'DAI', decimals: 18 };
export const wethAsset = { id: `eip155:1/erc20:${weth}`, kind: 'TOKEN', symbol: 'WETH', decimals: 18 };
export const ether = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH', decimals: 18 };

/** Call data by an independent library: `encode('function transfer(address to, uint256 value)', [friend, 5n])`. */
export function encode(signature: string, args: readonly unknown[]): `0x${string}` {
  const abi = AbiFunction.from(signature as never) as AbiFunction.AbiFunction;
  return args.length === 0 ? AbiFunction.getSelector(abi) : AbiFunction.encodeData(abi as never, args as never);
}

interface Sent {
  readonly to: string;
  readonly data?: `0x${string}`;
  readonly value?: bigint;
  readonly chainId?: number;
}

/** A parsed EIP-1559 transaction. Its fee is 21,000 times 2 wei. */
export function send({ to, data, value, chainId = 1 }: Sent, context: Partial<ParseContext> = {}): EthereumTransaction {
  const envelope = TxEnvelopeEip1559.from({
    chainId,
    nonce: 0n,
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    to: to as `0x${string}`,
    ...(data !== undefined && { data }),
    ...(value !== undefined && { value }),
  });
  const unsigned = TxEnvelopeEip1559.serialize(envelope);
  return ethereumTransaction.parse(unsigned, { signer, interfaces: [], tokens: defaultTokens, ...context });
}

/** The effects without the fee, which every transaction has. */
export function effectsOf({ effects }: Pick<EthereumTransaction, 'effects'>): unknown[] {
  return effects.filter(({ kind }) => kind !== 'FEE');
}

/** An interface of the organization for a contract, with the given functions. */
export function stored(address: string, ...signatures: readonly string[]): ContractInterface {
  const json = JSON.stringify(signatures.map((signature) => AbiFunction.from(signature as never)));
  return { kind: 'ethereum', address, json };
}
