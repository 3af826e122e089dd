import type { Effect } from '@countersign/chains';
import { accountAddress } from '@countersign/chains';
import { signerAddress } from '../normalizers.ts';
import type { ParsedSubject, PolicySubject, RawContent } from '../subject.ts';

/** An asset that leaves the signer, according to the effects. */
export interface Move {
  readonly asset: string;
  /** In base units. Undefined if the transaction sets no bound. */
  readonly amount?: bigint;
  /** The recipient: the owner of the receiving account, if known. */
  readonly to?: string;
  /** Every address of the recipient. */
  readonly addresses: readonly string[];
}

/** What a signature moves. */
export interface Moves {
  readonly moves: readonly Move[];
  /** Why the signature may move more than this, as the end of a sentence. */
  readonly unread?: string;
}

const nothing: Moves = { moves: [] };

const unreadable: Moves = { moves: [], unread: 'it signs bytes that the service does not read as a transaction' };

/**
 * What a request moves. `signs` is false for activities that do not sign. `raw` is the content of raw payloads. `callsHide`: earlier rules, by
 * which every call may move something.
 */
export function movesOf({ parsed, key }: PolicySubject, signs: boolean, raw?: RawContent, callsHide = false): Moves {
  if (!signs) return nothing;
  const account = key?.kind === 'walletAccount' ? accountAddress(key.body) : undefined;
  if (parsed !== undefined) return movesOfContent(parsed, account, callsHide);
  if (raw === undefined) return unreadable;
  const all = raw.readings.map((reading) => movesOfContent(reading.parsed, account, callsHide));
  const unread = raw.isComplete ? all.find((each) => each.unread !== undefined)?.unread : unreadable.unread;
  return { moves: all.flatMap(({ moves }) => moves), ...(unread !== undefined && { unread }) };
}

/** What a transaction or a typed message moves. */
function movesOfContent(parsed: ParsedSubject, account: string | undefined, callsHide: boolean): Moves {
  const { effects, fullyParsed } = parsed;
  const self = signerAddress(parsed, account);
  const moves = effects.flatMap(moveOf).filter(({ to }) => to === undefined || to !== self);
  const unread = effects.map((effect) => hides(effect, callsHide)).find((why) => why !== undefined);
  if (unread !== undefined) return { moves, unread };
  return fullyParsed && effects.length > 0 ? { moves } : { moves, unread: 'not everything that it does was understood' };
}

/**
 * What an effect moves.
 * SECURITY: an allowance counts as a transfer of the allowed amount. Otherwise a user under a limit could let their own contract take the
 * rest. The value that a new contract or account receives counts too. Revoking an allowance moves nothing.
 * SECURITY: D172: a new account is its own recipient. The owner that the instruction names is a program that the sender chooses: the
 * program of plain wallets, or even the signer's own key, although nothing returns to it.
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
 * Why an effect may move more than the list contains. Undefined if it does not.
 * A call without a recipient writes data. A signature with a lasting effect still counts once.
 */
function hides(effect: Effect, callsHide: boolean): string | undefined {
  switch (effect.kind) {
    case 'UNKNOWN':
      return `it holds something that was not understood: ${effect.what}`;
    case 'CALL':
      if (effect.to === undefined || (effect.movesNothing === true && !callsHide)) return undefined;
      return `it calls ${effect.to}, and what that moves cannot be read: ${effect.what}`;
    case 'AUTHORITY':
      return `it changes who may act: ${effect.what}`;
    case 'REPLAYABLE':
      return effect.lasting === true ? undefined : effect.what;
    default:
      return undefined;
  }
}
