import { solana as addressFormat } from '../addresses/solana.ts';
import { coinKind, defineChain } from '../chain.ts';
import { SOL, SOLANA_NETWORK } from './assets.ts';
import { idlInSteps } from './idl/idl.ts';
import { solanaRawForm } from './raw-form.ts';
import { associatedTokenAccounts } from './token-account.ts';
import { solanaTransaction } from './transaction.ts';

const TOKEN = `${SOLANA_NETWORK}/token:`;

/** SECURITY: only associated accounts. The bytes do not tell who owns another token account, so its tokens may not be the signer's. */
function holdsTokensOf(signer: string, asset: string): readonly string[] {
  const mint = asset.startsWith(TOKEN) ? asset.slice(TOKEN.length) : undefined;
  return mint === undefined || mint === 'unknown' ? [] : associatedTokenAccounts(signer, mint);
}

export const solana = defineChain({
  id: 'solana',
  transactionType: 'TRANSACTION_TYPE_SOLANA',
  transaction: solanaTransaction,
  raw: solanaRawForm,
  namespace: 'solana.tx',
  addresses: { formats: [addressFormat.id], networks: 'every Solana cluster', forms: addressFormat.normalize },
  assets: {
    namespace: 'solana',
    network: { pattern: SOLANA_NETWORK, example: SOLANA_NETWORK },
    kinds: [{ standard: 'token', example: 'token:<mint>', normalize: addressFormat.normalize, isContract: true }, coinKind(501)],
    coin: () => SOL,
    // Found in November 2026 in a copy of Uniswap's default token list.
    tokens: [
      [`${SOLANA_NETWORK}/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`, 'USDC', 6],
      [`${SOLANA_NETWORK}/token:Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB`, 'USDT', 6],
    ],
    // The native mints of the Token program and of Token-2022. A token of theirs is a lamport that the account holds.
    coinTokens: [
      [`${TOKEN}So11111111111111111111111111111111111111112`, SOL.id],
      [`${TOKEN}9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP`, SOL.id],
    ],
  },
  // A key controls accounts that have other addresses (stake, nonce, seeds), and the owner of a receiving account can be another key.
  effects: { spendsFromOtherAddresses: true, callsCanSpendMore: true, receiverIsOwner: false, holdsTokensOf },
  interfaces: [
    {
      type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
      kind: 'solana',
      normalizeAddress: addressFormat.normalize,
      readInSteps: idlInSteps,
    },
  ],
});
