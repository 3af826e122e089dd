import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { concat } from '../shared/bytes.ts';
import { Memo } from '../shared/memo.ts';

const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const ASSOCIATED_TOKEN_PROGRAM = base58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const MARKER = utf8ToBytes('ProgramDerivedAddress');

/** The associated token accounts of a wallet for a mint: one of the Token program, and one of Token-2022. */
export function associatedTokenAccounts(wallet: string, mint: string): readonly string[] {
  return accounts.get(`${wallet} ${mint}`, () =>
    TOKEN_PROGRAMS.map((program) => programAddress([wallet, program, mint].map((key) => base58.decode(key)))),
  );
}

/** SECURITY: D357: deriving the accounts takes a millisecond, and each of dozens of transfers in a transaction asks for them. */
const accounts = new Memo<readonly string[]>(1_000);

/** The first hash of the seeds that is not a point on the curve, so that no key signs for it: `Pubkey::find_program_address`. */
function programAddress(seeds: readonly Uint8Array[]): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = sha256(concat([...seeds, Uint8Array.of(bump), ASSOCIATED_TOKEN_PROGRAM, MARKER]));
    if (!isPoint(hash)) return base58.encode(hash);
  }
  throw new Error('no bump gives an address off the curve');
}

/** Whether an address is that of a key. Accounts of programs, such as token accounts, have no key. */
export function isSolanaKey(address: string): boolean {
  return isPoint(base58.decode(address));
}

function isPoint(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    // noble throws if the bytes encode no point.
    return false;
  }
}
