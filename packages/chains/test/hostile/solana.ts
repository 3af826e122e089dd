import { hexToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { getCompiledTransactionMessageEncoder } from '@solana/transaction-messages';
import { bytesOf, type HostileSignature, transaction } from './placeholders.ts';

const key = (hex: string) => base58.encode(hexToBytes(hex));
const self = key(bytesOf('self', 32));
const to = key(bytesOf('to', 32));
const source = key('a1'.repeat(32));
const nonce = key('a2'.repeat(32));
const SYSTEM = '11111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const COMPUTE = 'ComputeBudget111111111111111111111111111111';
const BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const OTHER = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';

interface Instruction {
  readonly program: string;
  readonly accounts?: readonly string[];
  readonly data: readonly number[];
}

const bytes = (value: bigint, length: number) =>
  Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
const bytesOfKey = (text: string) => [...base58.decode(text)];

/** A legacy transaction of the signer, written by the packages of @solana/kit. */
function send(id: string, harm: string, ...instructions: readonly Instruction[]): HostileSignature {
  const named = instructions.flatMap(({ program, accounts = [] }) => [...accounts, program]);
  const keys = [self, ...new Set(named.filter((each) => each !== self))];
  const message = getCompiledTransactionMessageEncoder().encode({
    version: 'legacy',
    header: { numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 0 },
    staticAccounts: keys as Address[],
    lifetimeToken: key('09'.repeat(32)),
    instructions: instructions.map(({ program, accounts = [], data }) => ({
      programAddressIndex: keys.indexOf(program),
      accountIndices: accounts.map((each) => keys.indexOf(each)),
      data: Uint8Array.from(data),
    })),
  });
  const unsigned = `01${'00'.repeat(64)}${Buffer.from(message).toString('hex')}`;
  return transaction({ id: `solana/${id}`, harm, chain: 'solana' }, unsigned);
}

const SOL = 10n ** 9n;
const coin = (lamports: bigint): Instruction => ({
  program: SYSTEM,
  accounts: [self, to],
  data: [2, 0, 0, 0, ...bytes(lamports, 8)],
});
const token = (mint: string, amount: bigint): Instruction => ({
  program: TOKEN,
  accounts: [source, mint, to, self],
  data: [12, ...bytes(amount, 8), 6],
});
const price = (microLamports: bigint): Instruction => ({ program: COMPUTE, data: [3, ...bytes(microLamports, 8)] });
const units = (count: bigint): Instruction => ({ program: COMPUTE, data: [2, ...bytes(count, 4)] });
const advance: Instruction = { program: SYSTEM, accounts: [nonce, BLOCKHASHES, self], data: [4, 0, 0, 0] };

/** Hostile transactions of Solana. */
export const solanaTransactions: readonly HostileSignature[] = [
  send('coin-huge', 'coin', coin(10_000_000n * SOL)),
  send('coin-small', 'small-coin', coin(1_000_000n)),
  send('token-huge', 'token', token(USDC, 10n ** 12n)),
  send('token-small', 'small-token', token(USDC, 1_000_000n)),
  send('coin-and-token', 'token', coin(1n), token(USDC, 10n ** 12n)),
  send('other-token', 'other-token', token(OTHER, 10n ** 12n)),
  send('token-without-mint', 'other-token', {
    program: TOKEN,
    accounts: [source, to, self],
    data: [3, ...bytes(10n ** 12n, 8)],
  }),
  send('approve', 'allowance', {
    program: TOKEN,
    accounts: [source, USDC, to, self],
    data: [13, ...bytes(2n ** 64n - 1n, 8), 6],
  }),
  send('set-authority', 'authority', { program: TOKEN, accounts: [source, self], data: [6, 2, 1, ...bytesOfKey(to)] }),
  send('close-account', 'small-coin', { program: TOKEN, accounts: [source, to, self], data: [9] }),
  send('burn', 'burn', { program: TOKEN, accounts: [source, USDC, self], data: [15, ...bytes(10n ** 12n, 8), 6] }),
  send('assign', 'authority', { program: SYSTEM, accounts: [self], data: [1, 0, 0, 0, ...bytesOfKey(to)] }),
  send('nonce-authorize', 'authority', { program: SYSTEM, accounts: [nonce, self], data: [7, 0, 0, 0, ...bytesOfKey(to)] }),
  send('durable', 'durable', advance, coin(1_000_000n)),
  send('durable-huge', 'coin', advance, coin(10_000_000n * SOL)),
  send('fee', 'fee', units(1_400_000n), price(10n ** 12n), coin(1n)),
  send('unknown-program', 'unknown-call', { program: to, accounts: [self, source], data: [1, 2, 3] }),
  send('memo', 'nothing', { program: MEMO, accounts: [], data: [...new TextEncoder().encode('I agree')] }),
];
