export { addressBytes } from './addresses/address-bytes.ts';
export type { AddressFormat } from './addresses/address-format.ts';
export { type AddressFormatId, addressFormatIds, addressFormats, encodeAddress } from './addresses/address-formats.ts';
export { canonicalAddress } from './addresses/canonical-address.ts';
export { type PublicKey, parsePublicKey } from './addresses/public-key.ts';
export { BITCOIN_DUST, type BitcoinPayment, bitcoinPayment } from './bitcoin/payment.ts';
export {
  type BitcoinSpends,
  bitcoinNetworkOf,
  bitcoinSpends,
  requireSendable as requireSendableOnBitcoin,
  type SpentOutput,
} from './bitcoin/sendable.ts';
export { bitcoinWireForm } from './bitcoin/wire-form.ts';
export type { Chain } from './chain.ts';
export { chains, contractInterfaceTypes, transactionTypes } from './chains.ts';
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
export { loadWordlist } from './derivation/wordlist.ts';
export { assetInfo, assetNames, canonicalAsset, canonicalToken, tokenNames } from './effects/canonical-asset.ts';
export { coinOfToken, tokensOfCoin } from './effects/coin-tokens.ts';
export { type Cost, costOf } from './effects/cost.ts';
export { defaultTokens, shippedCoins, shippedTokens } from './effects/default-tokens.ts';
export { type Asset, type Effect, effectKinds } from './effects/effect.ts';
export { effectView } from './effects/effect-view.ts';
export { conflictWithShipped, type ShippedConflict, withOwnTokens } from './effects/own-tokens.ts';
export type { PaymentOrder } from './effects/payment-order.ts';
export { type Payment, paymentsOf } from './effects/payments.ts';
export { nameOfAsset } from './effects/quantity.ts';
export { type Names, sentenceOf } from './effects/sentence.ts';
export type { TokenInfo, TokenList } from './effects/token-list.ts';
export { ChainError, type ChainErrorCode } from './errors.ts';
export * from './ethereum/index.ts';
export { type InterfaceBounds, newInterfaceBounds, newRequestBounds, type ParseBounds } from './parse-bounds.ts';
export { accountAddress, isAddress, networksOf, policyAddress, policyAddressForms, readChainAddress } from './policy-address.ts';
export { type RawContent, readRawPayload } from './raw/read-raw-payload.ts';
export { comparedEnds, comparedStart, lookAlikesOf, type SharedEnds, sharedEnds } from './shared/look-alike-address.ts';
export { lookalikeKeys } from './shared/lookalikes.ts';
export { formatUnits, quoteText } from './shared/text.ts';
export { tweakPublicKey } from './shared/tweak.ts';
export { blockhashOf, NO_BLOCKHASH, requireCompleteWith, signedMessage, withBlockhash } from './solana/blockhash.ts';
export { type SolanaPaymentOptions, solanaPayment } from './solana/payment.ts';
export { isSolanaKey } from './solana/token-account.ts';
export * from './transaction.ts';
export { type TronPaymentOptions, tronPayment } from './tron/payment.ts';
export { NO_TRON_REFERENCE, type TronReference, tronReferenceOf, withTronReference } from './tron/reference.ts';
