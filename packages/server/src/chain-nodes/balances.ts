import { addressBytes } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import type { ChainReader } from './chain-reads.ts';
import { MAX_TOKENS_PER_CALL, readBalances, tokenBalancesCode } from './ethereum-token-balances.ts';
import { decimalText, hexData, hexQuantity, wholeNumber } from './quantities.ts';

/** The balances of an address. */
export interface Balances {
  readonly coin: bigint;
  /** Only tokens that the account has. */
  readonly tokens: readonly TokenBalance[];
}

interface TokenBalance {
  /** The CAIP-19 reference of the token: its contract or mint. */
  readonly reference: string;
  readonly balance: bigint;
  readonly program?: string;
}

/** Reads balances of an address. `tokens` are the references of the tokens to look for. */
type ReadBalances = (reader: ChainReader, address: string, tokens: readonly string[]) => Promise<Balances>;

/** The CAIP-19 asset namespace of the tokens whose balances are read. */
export const tokenStandards: { readonly [Name in ChainNamespace]?: string } = { eip155: 'erc20', solana: 'token', tron: 'trc20' };

/** How balances are read, by CAIP-2 namespace. SECURITY: D763: balances are facts that people act on, so endpoints must agree. */
export const balanceReaders: { readonly [Name in ChainNamespace]: ReadBalances } = {
  eip155: async (reader, address, tokens) => ({
    coin: await reader.agree({ method: 'eth_getBalance', params: [address, 'latest'], result: hexQuantity }),
    tokens: await ethereumTokens(reader, address, tokens),
  }),

  solana: async (reader, address, tokens) => {
    const { coin } = await reader.agree({
      method: 'getBalance',
      params: [address, { commitment: 'confirmed' }],
      result: lamports,
    });
    const found = await Promise.all(tokenPrograms.map((program) => solanaTokens(reader, address, program)));
    const wanted = new Set(tokens);
    return { coin, tokens: found.flat().filter(({ reference, balance }) => wanted.has(reference) && balance > 0n) };
  },

  tron: async (reader, address, tokens) => {
    const { balance: coin } = await reader.agree({
      method: 'wallet/getaccount',
      params: { address, visible: true },
      // A node answers {} for an address that never received anything.
      result: z.object({ balance: wholeNumber.default(0n) }),
    });
    const found: TokenBalance[] = [];
    for (const reference of tokens) {
      const balance = await tronToken(reader, address, reference);
      if (balance > 0n) found.push({ reference, balance });
    }
    return { coin, tokens: found };
  },

  bip122: async ({ chain }) => {
    throw new ServiceError(
      'NOT_OFFERED',
      `Nodes of ${chain} have no index of addresses, so this server cannot show balances there. Use a block explorer or your own index.`,
    );
  },
};

async function ethereumTokens(reader: ChainReader, address: string, tokens: readonly string[]): Promise<TokenBalance[]> {
  const found: TokenBalance[] = [];
  for (let start = 0; start < tokens.length; start += MAX_TOKENS_PER_CALL) {
    const part = tokens.slice(start, start + MAX_TOKENS_PER_CALL);
    const data = await reader.agree({
      method: 'eth_call',
      params: [{ data: tokenBalancesCode(address, part) }, 'latest'],
      result: hexData,
    });
    for (const [index, balance] of readBalances(data, part.length).entries())
      if (balance !== undefined && balance > 0n) found.push({ reference: part[index] as string, balance });
  }
  return found;
}

/** The Token program, and its successor Token-2022. */
const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'] as const;

const lamports = z.object({ value: wholeNumber }).transform(({ value }) => ({ coin: value }));

const tokenInfo = z.object({ mint: z.string().max(44), owner: z.string(), tokenAmount: z.object({ amount: decimalText }) });
const tokenAccounts = z.object({
  value: z.array(z.object({ account: z.object({ data: z.object({ parsed: z.object({ info: tokenInfo }) }) }) })),
});

async function solanaTokens(reader: ChainReader, owner: string, program: string): Promise<TokenBalance[]> {
  return reader.agree({
    method: 'getTokenAccountsByOwner',
    params: [owner, { programId: program }, { encoding: 'jsonParsed', commitment: 'confirmed' }],
    // An owner may have several accounts of a token. Endpoints list them in any order.
    result: tokenAccounts.transform(({ value }) => {
      const sums = new Map<string, bigint>();
      for (const { account } of value) {
        const { mint, owner: holder, tokenAmount } = account.data.parsed.info;
        if (holder === owner) sums.set(mint, (sums.get(mint) ?? 0n) + tokenAmount.amount);
      }
      const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
      return sorted.map(([reference, balance]) => ({ reference, balance, program }));
    }),
  });
}

async function tronToken(reader: ChainReader, address: string, contract: string): Promise<bigint> {
  const owner = addressBytes('tron', address);
  if (owner === undefined) throw new TypeError('not an address of Tron');
  const { constant_result: results = [] } = await reader.agree({
    method: 'wallet/triggerconstantcontract',
    params: {
      owner_address: address,
      contract_address: contract,
      function_selector: 'balanceOf(address)',
      parameter: owner.padStart(64, '0'),
      visible: true,
    },
    result: z.object({ constant_result: z.array(z.string().regex(/^[0-9a-f]*$/)).optional() }),
  });
  const [word] = results;
  return word?.length === 64 ? BigInt(`0x${word}`) : 0n;
}
