import type { InstructionSpec, ProgramSpec } from './instruction-spec.ts';

function create(name: string, tag: readonly number[]): InstructionSpec {
  return {
    name,
    tag,
    accounts: ['funding', 'associatedAccount', 'wallet', 'mint', 'systemProgram', 'tokenProgram'],
    // Costs the funding account at most the rent of one token account. No token and no right moves.
    effect: 'none',
    describe: (call) => `open the token account of ${call.account('wallet')} for mint ${call.account('mint')}`,
  };
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
      effect: 'other',
      describe: (call) =>
        `recover nested token account ${call.account('nestedAccount')} of ${call.account('wallet')} into ${call.account('destination')}`,
    },
    create('create', []),
  ],
};
