import { quoteText } from '../shared/text.ts';
import type { Effect } from './effect.ts';
import { formatQuantity, formatUnlimited, nameOfAsset } from './quantity.ts';

/** What people call things, and what goes without saying. */
export interface Names {
  /** The address that signs. Who else loses something is named. */
  readonly self?: string;
  /** The wallet or the private key that signs, by the name that the organization gave it. */
  readonly source?: Source;
  /** The network, for example "on Ethereum". */
  readonly where?: string;
  /** Fees that are not in the effects. */
  readonly besides?: string;
  /** The label of an address, as the organization entered it. */
  contact?(address: string): string | undefined;
  /** An address as people read it, for example with its EIP-55 checksum. */
  address?(address: string): string;
}

/** What signs. */
export interface Source {
  readonly kind: 'wallet' | 'private key';
  readonly name: string;
}

const MAX_LISTED = 20;

/** Stands for an address that the bytes do not tell. */
const HIDDEN = 'AN ACCOUNT THAT THE TRANSACTION DOES NOT SHOW';

/**
 * All effects in one sentence that a treasurer understands: "send 25,000 USDC to "Acme" (0x35…) on Ethereum, network fee at most 0.004
 * ETH, signed by the wallet "Treasury" (0x7a…)".
 * `harmless` are acts that are no effects, for example change that returns to the signer.
 * INVARIANT: no effect is left out. Beyond twenty of a kind they are counted, and the sentence says so.
 */
export function sentenceOf(effects: readonly Effect[], names: Names = {}, harmless: readonly string[] = []): string {
  const fees = effects.filter(({ kind }) => kind === 'FEE');
  // REPLAYABLE effects go first: after the others, they would seem to be limited to `where`.
  const replayable = effects.filter(({ kind }) => kind === 'REPLAYABLE');
  const others = [...replayable, ...effects.filter(({ kind }) => kind !== 'FEE' && kind !== 'REPLAYABLE')];
  const told = others.slice(0, MAX_LISTED).map((effect) => tell(effect, names));
  if (others.length > MAX_LISTED) told.push(`and ${others.length - MAX_LISTED} MORE EFFECTS that are not listed here`);
  told.push(...harmless);
  const acts = told.length === 0 ? 'do nothing' : told.join(', ');
  const besides = names.besides === undefined ? [] : [names.besides];
  const paid = [...fees.map((fee) => tell(fee, names)), ...besides];
  return [names.where === undefined ? acts : `${acts} ${names.where}`, ...paid, ...signedBy(names)].join(', ');
}

/** SECURITY: a name is user input, so it is quoted and stands next to the address. */
function signedBy({ source, self, address }: Names): readonly string[] {
  if (source === undefined) return [];
  const at = self === undefined ? '' : ` (${address?.(self) ?? self})`;
  return [`signed by the ${source.kind} ${quoteText(source.name)}${at}`];
}

function tell(effect: Effect, names: Names): string {
  const who = (address: string | undefined) => (address === undefined ? HIDDEN : nameOf(address, names));
  const whose = (address: string | undefined) => (address === names.self ? '' : ` of ${who(address)}`);
  const paidBy = (address: string | undefined) => (address === names.self ? '' : ` paid by ${who(address)}`);
  switch (effect.kind) {
    case 'TRANSFER': {
      const { asset, fee, owner } = effect;
      const withheld = fee === undefined ? '' : ` (${formatQuantity({ asset, amount: fee })} of it withheld as a fee)`;
      const held = owner === undefined ? '' : ` (held by ${who(owner)})`;
      return `send ${formatQuantity(effect)}${withheld}${whose(effect.from)} to ${who(effect.to)}${held}`;
    }
    case 'ALLOWANCE': {
      const much = effect.unlimited ? formatUnlimited(effect.asset) : formatQuantity(effect);
      const until = effect.expires === undefined ? '' : ` until ${formatTime(effect.expires)}`;
      const rest = `${much}${whose(effect.from)}${until}`;
      if (effect.amount === 0n && effect.to === undefined)
        return `let nobody spend ${nameOfAsset(effect.asset)}${whose(effect.from)}`;
      return effect.unlimited ? `LET ${who(effect.to)} SPEND ${rest}` : `let ${who(effect.to)} spend ${rest}`;
    }
    case 'FEE': {
      const much =
        effect.amount === undefined
          ? `an UNKNOWN network fee in ${nameOfAsset(effect.asset)}`
          : `network fee at most ${formatQuantity(effect)}`;
      return `${much}${paidBy(effect.from)}`;
    }
    case 'CREATE': {
      const made = effect.what === 'CONTRACT' ? 'create a contract' : 'create an account';
      const held = effect.owner === undefined ? '' : ` (held by ${who(effect.owner)})`;
      const cost =
        effect.asset === undefined ? '' : ` for ${formatQuantity({ ...effect, asset: effect.asset })}${paidBy(effect.from)}`;
      return `${made}${effect.to === undefined ? '' : ` ${who(effect.to)}`}${held}${cost}`;
    }
    case 'AUTHORITY':
      return `CHANGE WHO CONTROLS ${who(effect.from)}: ${effect.what}${effect.to === undefined ? '' : ` ${who(effect.to)}`}`;
    case 'CALL':
      return effect.to === undefined ? effect.what : `call ${effect.words ?? effect.what} on ${who(effect.to)}`;
    case 'REPLAYABLE':
      return `${effect.lasting ? 'DOES NOT EXPIRE' : 'NOT BOUND TO ONE CHAIN'}: ${effect.what}`;
    case 'UNKNOWN': {
      const at = effect.to === undefined ? '' : ` on ${who(effect.to)}`;
      const words = effect.words === undefined ? '' : `, which a stored descriptor shows as ${effect.words},`;
      return `${effect.what}${at}${words || ','} ${effect.bytes} bytes not understood: treat as dangerous`;
    }
  }
}

/** SECURITY: a label is user input, so it is quoted and never replaces the address. */
function nameOf(address: string, names: Names): string {
  const shown = names.address?.(address) ?? address;
  const label = names.contact?.(address);
  return label === undefined ? shown : `${quoteText(label)} (${shown})`;
}

/** Seconds since 1970 as a date and time in UTC. */
export function formatTime(seconds: bigint): string {
  const ms = Number(seconds) * 1000;
  // The last moment that a Date can hold.
  return ms <= 8_640_000_000_000_000 ? new Date(ms).toISOString().slice(0, 16).replace('T', ' ') : 'the end of time';
}
