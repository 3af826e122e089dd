import type { Asset, Effect } from '../../effects/effect.ts';
import { present } from '../../shared/present.ts';
import { SOL } from '../assets.ts';
import type { Call } from './instruction-spec.ts';

type Key = string | undefined;

const HIDDEN = 'an account from a lookup table';

/** Lamports move. An amount that the bytes do not tell is absent: a closed account gives away all that it has. */
export function movesSol(from: Key, to: Key, lamports?: bigint): Effect {
  return { kind: 'TRANSFER', asset: SOL, ...present({ from, to, amount: lamports }) };
}

/** Tokens move. */
export function movesToken(asset: Asset, from: Key, to: Key, amount?: bigint): Effect {
  return { kind: 'TRANSFER', asset, ...present({ from, to, amount }) };
}

/** An account comes into being, and `from` pays at most `lamports` for it. */
export function creates(from: Key, to: Key, owner: Key, lamports: bigint): Effect {
  return { kind: 'CREATE', what: 'ACCOUNT', asset: SOL, amount: lamports, ...present({ from, to, owner }) };
}

/** Who controls `from` changes. */
export function changes(from: Key, what: string): Effect {
  return { kind: 'AUTHORITY', what, ...present({ from }) };
}

/** A right over `from` goes to another. `missing` says in words what it means that the key is not there. */
export function grants(from: Key, what: string, to: Key, missing = HIDDEN): Effect {
  return to === undefined ? changes(from, `${what} ${missing}`) : { kind: 'AUTHORITY', what, to, ...present({ from }) };
}

/** An instruction in words. */
export function calls(call: Call, what: string): Effect {
  return { kind: 'CALL', what, to: call.programKey, ...(call.spec.moves === 'none' && { movesNothing: true }) };
}

/** An account within words. */
export function shown(call: Call, name: string): string {
  return call.account(name) ?? HIDDEN;
}
