export { ethereumAddressOf, normalizeEthereumAddress, toChecksumAddress } from '../addresses/ethereum.ts';
export { type Authorization, authorizationDigest, parseAuthorization } from './authorization.ts';
export { assetOnChain, coinOf as ethereumCoin } from './calls/assets.ts';
export { type AbiFunction, type EthereumInterface, parseContractInterface } from './contract-interface.ts';
export { type Descriptor, parseDescriptor } from './descriptors/descriptor.ts';
export type { EthereumMessage } from './ethereum-message.ts';
export { type EthereumTransaction, ethereumTransaction } from './ethereum-transaction.ts';
export { encodeFeeMarketTransaction, type FeeMarketFields } from './fee-market-transaction.ts';
export { encodeLegacyTransaction, type LegacyFields } from './legacy-transaction.ts';
export { ethereumPaymentCall, type PaymentCall } from './payment-call.ts';
export { personalMessageDigest } from './personal-message.ts';
export { readSignedFields } from './transaction-envelope.ts';
export { encodeTransactionRequest, readQuantity, type TransactionRequest } from './transaction-request.ts';
export { parseTypedData, typedDataInSteps } from './typed-data.ts';
export {
  encodeUndelegation,
  type UndelegationFields,
  undelegationAuthorization,
  undelegationDigest,
} from './undelegation.ts';
export { withChainId } from './with-chain-id.ts';
