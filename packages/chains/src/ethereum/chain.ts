import { ethereum as addressFormat, normalizeEthereumAddress } from '../addresses/ethereum.ts';
import { type AssetKind, coinKind, defineChain } from '../chain.ts';
import { coinOf, type TokenStandard } from './calls/assets.ts';
import { interfaceInSteps } from './contract-interface.ts';
import { descriptorInSteps } from './descriptors/descriptor.ts';
import { ethereumTransaction } from './ethereum-transaction.ts';
import { ethereumRawForm } from './raw-form.ts';
import { ethereumTokens } from './tokens.ts';
import { ethereumCoinTokens } from './wrapped-coins.ts';

const contractKind = (standard: TokenStandard, rest: Partial<AssetKind> = {}): AssetKind => ({
  standard,
  example: standard,
  normalize: normalizeEthereumAddress,
  isContract: true,
  ...rest,
});

export const ethereum = defineChain({
  id: 'ethereum',
  transactionType: 'TRANSACTION_TYPE_ETHEREUM',
  transaction: ethereumTransaction,
  raw: ethereumRawForm,
  namespace: 'eth.tx',
  signerField: 'from',
  addresses: {
    formats: [addressFormat.id],
    networks: 'every EVM network',
    forms: normalizeEthereumAddress,
    toPolicyForm: normalizeEthereumAddress,
  },
  assets: {
    namespace: 'eip155',
    network: { pattern: 'eip155:[1-9]\\d{0,18}', example: 'eip155:<chain id>' },
    kinds: [
      contractKind('erc20', { example: 'erc20:<address>' }),
      contractKind('erc721', { decimals: 0 }),
      contractKind('erc1155', { decimals: 0 }),
      coinKind(60),
    ],
    coin: (network) => coinOf(BigInt(network.slice('eip155:'.length))),
    tokens: Object.entries(ethereumTokens).flatMap(([chainId, rows]) =>
      rows.map(([symbol, address, decimals]) => [`eip155:${chainId}/erc20:${address.toLowerCase()}`, symbol, decimals] as const),
    ),
    coinTokens: ethereumCoinTokens,
  },
  effects: { spendsFromOtherAddresses: false, callsCanSpendMore: false, receiverIsOwner: true },
  interfaces: [
    {
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      kind: 'ethereum',
      normalizeAddress: normalizeEthereumAddress,
      readInSteps: interfaceInSteps,
    },
    {
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ERC7730',
      kind: 'erc7730',
      normalizeAddress: normalizeEthereumAddress,
      readInSteps: descriptorInSteps,
    },
  ],
});
