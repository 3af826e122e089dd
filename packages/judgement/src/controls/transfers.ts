import type { Effect } from '@countersign/chains';
import { accountAddress, signerAddress } from '../normalizers.ts';
import type { PolicySubject } from '../subject.ts';

/** Something of value that leaves the signer, as far as the effects tell. */
export interface Move {
  readonly asset: string;
  /** In base units. Undefined where the bytes set no bound. */
  readonly amount?: bigint;
  /** Who receives: the one who controls the receiving account, where that is known. */
  readonly to?: string;
  /** Every address that stands for the receiver. */
  readonly addresses: readonly string[];
}

/** What a signature moves. */
export interface Moves {
  readonly moves: readonly Move[];
  /** Why there may be more than these, as the end of a sentence. */
  readonly unread?: string;
}

const nothing: Moves = { moves: [] };

/** What a request moves. `signs` tells whether it makes a signature at all. */
export function movesOf({ parsed, key }: PolicySubject, signs: boolean): Moves {
  if (!signs) return nothing;
  if (parsed === undefined) return { moves: [], unread: 'it signs bytes that the service does not read as a transaction' };
  const { effects, fullyParsed } = parsed;
  const account = key?.kind === 'walletAccount' ? accountAddress(key.body) : undefined;
  const self = signerAddress(parsed, account);
  const moves = effects.flatMap(moveOf).filter(({ to }) => to === undefined || to !== self);
  const unread = effects.map(hides).find((why) => why !== undefined);
  if (unread !== undefined) return { moves, unread };
  return fullyParsed && effects.length > 0 ? { moves } : { moves, unread: 'not everything that it does was understood' };
}

/**
 * What an effect moves.
 * SECURITY: an allowance counts like a transfer of all that it allows. Otherwise somebody under a limit could let a contract of theirs take
 * the rest. So does the value that a new contract or account is given. Taking an allowance back moves nothing.
 * SECURITY: D172: a new account receives itself. The owner that the instruction names is a program of the sender's choice: the one of
 * plain wallets, or even the signer's own key, although nothing returns to it.
 */
function moveOf(effect: Effect): readonly Move[] {
  if (effect.kind !== 'TRANSFER' && effect.kind !== 'ALLOWANCE' && effect.kind !== 'CREATE') return [];
  if (effect.asset === undefined || (effect.kind === 'ALLOWANCE' && effect.amount === 0n)) return [];
  const owner = effect.kind === 'TRANSFER' ? effect.owner : undefined;
  const to = owner ?? effect.to;
  const bounded = effect.kind !== 'ALLOWANCE' || !effect.unlimited;
  return [
    {
      asset: effect.asset.id,
      ...(bounded && effect.amount !== undefined && { amount: effect.amount }),
      ...(to !== undefined && { to }),
      addresses: [owner, effect.to].filter((address) => address !== undefined),
    },
  ];
}

/**
 * Why an effect may move more than the list says; undefined where it does not.
 * A call without a receiver writes data. A signature that lasts still counts once.
 */
function hides(effect: Effect): string | undefined {
  switch (effect.kind) {
    case 'UNKNOWN':
      return `it holds something that was not understood: ${effect.what}`;
    case 'CALL':
      return effect.to === undefined ? undefined : `it calls ${effect.to}, and what that moves cannot be read: ${effect.what}`;
    case 'AUTHORITY':
      return `it changes who may act: ${effect.what}`;
    case 'REPLAYABLE':
      return effect.lasting === true ? undefined : effect.what;
    default:
      return undefined;
  }
}
