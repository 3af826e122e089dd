import { creates, movesSol, movesToken } from './effects.ts';
import type { Call, InstructionSpec, ProgramSpec } from './instruction-spec.ts';
import { assetOf, TOKEN_2022 } from './token-effects.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** The rent that frees an account from further rent: 3,480 lamports for a byte and year, for two years, on 128 bytes more. */
const rent = (bytes: bigint) => (bytes + 128n) * 3_480n * 2n;

/** Every token account of the Token program has 165 bytes. */
const TOKEN_RENT = rent(165n);
/** Token-2022 adds what the mint asks for. With every extension of accounts that exists it is 572 bytes. */
const TOKEN_2022_RENT = rent(572n);

function create(name: string, tag: readonly number[]): InstructionSpec {
  return {
    name,
    tag,
    accounts: ['funding', 'associatedAccount', 'wallet', 'mint', 'systemProgram', 'tokenProgram'],
    // Costs the funding account at most the rent of one token account. No token and no right moves.
    moves: 'none',
    effects(call) {
      const most = call.account('tokenProgram') === TOKEN ? TOKEN_RENT : TOKEN_2022_RENT;
      return [creates(call.account('funding'), call.account('associatedAccount'), call.account('wallet'), most)];
    },
    unparsed: otherTokenProgram,
  };
}

/** SECURITY: the caller chooses the token program that the program calls. */
function otherTokenProgram(call: Call): string | undefined {
  const program = call.account('tokenProgram');
  return program === undefined || program === TOKEN || program === TOKEN_2022
    ? undefined
    : `the token program ${program} is not known`;
}

/** The Associated Token Account program. Its first instruction may come without a tag, as in the program's first version. */
export const associatedTokenProgram: ProgramSpec = {
  name: 'Associated Token Account',
  keys: ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'],
  instructions: [
    create('create', [0]),
    create('createIdempotent', [1]),
    {
      name: 'recoverNested',
      tag: [2],
      accounts: ['nestedAccount', 'nestedMint', 'destination', 'ownerAccount', 'ownerMint', 'wallet', 'tokenProgram'],
      moves: 'other',
      // Moves all tokens out of the nested account, then closes it.
      effects: (call, reading) => [
        movesToken(assetOf(call, reading, 'nestedMint'), call.account('nestedAccount'), call.account('destination')),
        movesSol(call.account('nestedAccount'), call.account('wallet')),
      ],
      unparsed: otherTokenProgram,
    },
    create('create', []),
  ],
};
