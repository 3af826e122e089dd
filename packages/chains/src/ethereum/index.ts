export { ethereumAddressOf, normalizeEthereumAddress, toChecksumAddress } from '../addresses/ethereum.ts';
export { type Authorization, authorizationDigest, parseAuthorization } from './authorization.ts';
export { type AbiFunction, type EthereumInterface, parseContractInterface } from './contract-interface.ts';
export { type Descriptor, parseDescriptor } from './descriptors/descriptor.ts';
export type { EthereumMessage } from './ethereum-message.ts';
export { type EthereumTransaction, ethereumTransaction } from './ethereum-transaction.ts';
export { personalMessageDigest } from './personal-message.ts';
export { parseTypedData, typedDataInSteps } from './typed-data.ts';
export { withChainId } from './with-chain-id.ts';
