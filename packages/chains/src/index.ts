export type { AddressFormat } from './addresses/address-format.ts';
export { type AddressFormatId, addressFormatIds, addressFormats, encodeAddress } from './addresses/address-formats.ts';
export { bitcoinSpellings } from './addresses/bitcoin.ts';
export { canonicalAddress } from './addresses/canonical-address.ts';
export { type PublicKey, parsePublicKey } from './addresses/public-key.ts';
export * from './bitcoin/index.ts';
export { type Curve, curves } from './curve.ts';
export { deriveKey, type KeyPair, masterHmacKeys } from './derivation/derive-key.ts';
export {
  entropyToMnemonic,
  generateMnemonic,
  languagesOfMnemonic,
  type MnemonicLength,
  mnemonicLengths,
  mnemonicToEntropy,
  mnemonicToSeed,
} from './derivation/mnemonic.ts';
export { formatPath, HARDENED_OFFSET, MAX_PATH_DEPTH, parsePath, requirePathForCurve } from './derivation/path.ts';
export { loadWordlist, type MnemonicLanguage, mnemonicLanguages } from './derivation/wordlist.ts';
export { assetInfo, canonicalAsset } from './effects/canonical-asset.ts';
export { type Cost, costOf } from './effects/cost.ts';
export { type Asset, type Effect, effectKinds, effectView } from './effects/effect.ts';
export { type Names, sentenceOf } from './effects/sentence.ts';
export type { TokenInfo, TokenList } from './effects/token-list.ts';
export { defaultTokens, shippedTokens } from './effects/tokens/default-tokens.ts';
export { ChainError, type ChainErrorCode } from './errors.ts';
export * from './ethereum/index.ts';
export { formatUnits } from './shared/text.ts';
export { tweakPublicKey } from './shared/tweak.ts';
export * from './solana/index.ts';
export * from './transaction.ts';
export { transactionTypes } from './transaction-types.ts';
export * from './tron/index.ts';
