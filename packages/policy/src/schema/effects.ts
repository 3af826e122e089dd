import { t } from '../types.ts';

/** Every kind of effect. INVARIANT: transaction parsers use the same words. A test of the service compares them. */
const effectKinds = ['TRANSFER', 'ALLOWANCE', 'FEE', 'CREATE', 'AUTHORITY', 'CALL', 'REPLAYABLE', 'UNKNOWN'];

/** Receivers that are not addresses: none, and outputs of Bitcoin without an address. */
export const receivers = ['', 'OP_RETURN', 'UNUSUAL_SCRIPT'];

/**
 * An element of `effects`. A text or bool that this kind of effect never has is empty or false. A field that the transaction does not
 * determine is missing, so that reading it is an error.
 */
export const effect = t.struct('Effect', {
  kind: {
    type: t.word('effect.kind', effectKinds),
    doc: 'TRANSFER, ALLOWANCE (`to` may take later), FEE, CREATE (a contract or an account), AUTHORITY (who controls `from` changes), CALL (named by an interface), REPLAYABLE (not bound to one chain) or UNKNOWN (bytes that were not decoded)',
    example: "effects.none(e, e.kind in ['UNKNOWN', 'AUTHORITY', 'REPLAYABLE'])",
  },
  asset: {
    type: t.asset,
    doc: 'The asset by its CAIP-19 name, for example `eip155:1/slip44:60`',
    example: "effects.any(e, e.asset == 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')",
  },
  asset_kind: { type: t.word('effect.asset_kind', ['COIN', 'TOKEN', 'NFT']), doc: 'COIN, TOKEN or NFT' },
  symbol: {
    type: t.string,
    doc: 'The symbol of the asset, for coins and for tokens in a token list. Missing for other tokens. Users can add tokens: compare `asset`',
    example: "effects.any(e, e.symbol == 'USDC')",
  },
  decimals: { type: t.int, doc: 'The decimals of the asset, if it is in a token list' },
  amount: {
    type: t.int,
    doc: 'The amount in base units of the asset. Missing if the bytes do not contain it, or if there is none',
    example: "eth.tx.chain_id == 1 && effects.filter(e, e.kind == 'TRANSFER' && e.asset == USDC).sum(e, e.amount) <= 25_000 USDC",
  },
  from: { type: t.anyAddress(['']), doc: 'The address that loses something, pays or grants' },
  to: {
    type: t.anyAddress(receivers),
    doc: 'The address that gains: the recipient, the spender, the called contract. Empty for a FEE',
    example: "effects.any(e, e.to in contacts.tagged('blocked'))",
  },
  owner: {
    type: t.anyAddress(receivers),
    doc: 'TRANSFER, CREATE: the owner of `to`. On Solana the owner of a token account, missing if the transaction does not prove it; elsewhere `to` itself',
    example: "effects.filter(e, e.kind == 'TRANSFER').all(e, e.owner in contacts.tagged('vendors'))",
  },
  fee: {
    type: t.int,
    doc: 'TRANSFER: the part of `amount` that the token withholds from `to`. Missing if there is none',
  },
  unlimited: {
    type: t.bool,
    doc: 'ALLOWANCE: whether it has no limit. Half of the largest number and more counts as no limit. Missing for CALL and UNKNOWN',
    example: 'effects.none(e, e.unlimited)',
  },
  permit: { type: t.bool, doc: 'ALLOWANCE: whether it is a signature that the spender submits' },
  expires: { type: t.int, doc: 'ALLOWANCE: when it ends, in seconds since 1970. Missing if it does not end' },
  lasting: { type: t.bool, doc: 'REPLAYABLE: whether the signature is valid until it is revoked' },
  what: { type: t.string, doc: 'CREATE: CONTRACT or ACCOUNT. AUTHORITY, CALL, REPLAYABLE and UNKNOWN: a description' },
  bytes: { type: t.int, doc: 'UNKNOWN: the number of bytes that were not decoded' },
});

/** `contacts`: the named addresses of the organization. */
export const contacts = t.struct('Contacts', {
  all: {
    type: t.list(t.anyAddress()),
    doc: 'The addresses of all contacts',
    example: 'eth.tx.to in contacts.all',
  },
  tagged: {
    type: t.map(t.list(t.anyAddress())),
    doc: "The addresses of the contacts with a tag, written `contacts.tagged('vendors')`. A tag that no contact has is an error",
    lookup: true,
    example: "eth.tx.to in contacts.tagged('vendors')",
  },
});
