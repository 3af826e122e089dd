import type { Effect } from '../effects/effect.ts';
import { SOL } from './assets.ts';
import type { Message } from './message.ts';
import { associatedTokenProgram } from './programs/associated-token.ts';
import type { ReadInstruction } from './read-instruction.ts';

/** Everything that a transaction does: the effects of its instructions in their order, and the fee. */
export function effectsOf(message: Message, instructions: readonly ReadInstruction[], maxFee: bigint): readonly Effect[] {
  const told = instructions.flatMap(({ effects }) => effects);
  const wallets = walletsOf(instructions);
  const fee: Effect = { kind: 'FEE', asset: SOL, amount: maxFee, from: message.accountKeys[0] as string };
  return [...(wallets.size === 0 ? told : told.map((effect) => withOwner(effect, wallets))), fee];
}

/**
 * The wallets behind token accounts, where the transaction proves them. The Associated Token Account program makes an account
 * only at the address of its wallet and mint, and takes an existing one only if that wallet owns it.
 * SECURITY: an owner can hand such an account on. So the proof counts only if every instruction is of a built-in program and
 * none changes who controls the account.
 */
function walletsOf(instructions: readonly ReadInstruction[]): ReadonlyMap<string, string> {
  const wallets = new Map<string, string>();
  if (instructions.some(({ builtIn }) => builtIn === undefined)) return wallets;
  for (const { builtIn } of instructions) {
    if (builtIn === undefined || !associatedTokenProgram.keys.includes(builtIn.programKey)) continue;
    const [account, wallet] = [builtIn.accounts.get('associatedAccount'), builtIn.accounts.get('wallet')];
    if (account !== undefined && wallet !== undefined) wallets.set(account, wallet);
  }
  if (wallets.size === 0) return wallets;
  for (const effect of instructions.flatMap(({ effects }) => effects)) {
    if (effect.kind === 'AUTHORITY' && effect.from !== undefined) wallets.delete(effect.from);
  }
  return wallets;
}

function withOwner(effect: Effect, wallets: ReadonlyMap<string, string>): Effect {
  if (effect.kind !== 'TRANSFER' || effect.to === undefined) return effect;
  const owner = wallets.get(effect.to);
  return owner === undefined ? effect : { ...effect, owner };
}
