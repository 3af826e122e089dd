import { formatUnits, quoteText } from '../shared/text.ts';
import type { Asset, Effect } from './effect.ts';

/** What people call things, and what goes without saying. */
export interface Names {
  /** The address that signs. Who else loses something is named. */
  readonly self?: string;
  /** Where it happens, for example "on chain 1". */
  readonly where?: string;
  /** The label of an address, as the organization entered it. */
  contact?(address: string): string | undefined;
  /** An address as people read it, for example with its EIP-55 checksum. */
  address?(address: string): string;
}

const MAX_LISTED = 20;

/**
 * All effects in one sentence that a treasurer understands: "send 25,000 USDC to "Acme" (0x35…), network fee at most 0.004 ETH".
 * `harmless` are acts that are no effects, for example change that returns to the signer.
 * INVARIANT: no effect is left out. Beyond twenty of a kind they are counted, and the sentence says so.
 */
export function sentenceOf(effects: readonly Effect[], names: Names = {}, harmless: readonly string[] = []): string {
  const fees = effects.filter(({ kind }) => kind === 'FEE');
  const others = effects.filter(({ kind }) => kind !== 'FEE');
  const told = others.slice(0, MAX_LISTED).map((effect) => tell(effect, names));
  if (others.length > MAX_LISTED) told.push(`and ${others.length - MAX_LISTED} MORE EFFECTS that are not listed here`);
  told.push(...harmless);
  const acts = told.length === 0 ? 'do nothing' : told.join(', ');
  return [names.where === undefined ? acts : `${acts} ${names.where}`, ...fees.map((fee) => tell(fee, names))].join(', ');
}

function tell(effect: Effect, names: Names): string {
  const who = (address: string) => nameOf(address, names);
  const whose = (address: string) => (address === names.self ? '' : ` of ${who(address)}`);
  switch (effect.kind) {
    case 'TRANSFER':
      return `send ${quantity(effect)}${whose(effect.from)} to ${who(effect.to)}`;
    case 'ALLOWANCE': {
      const much = effect.unlimited ? `UNLIMITED ${nameOfAsset(effect.asset)}` : quantity(effect);
      const until = effect.expires === undefined ? '' : ` until ${formatTime(effect.expires)}`;
      const rest = `${much}${whose(effect.from)}${until}`;
      return effect.unlimited ? `LET ${who(effect.to)} SPEND ${rest}` : `let ${who(effect.to)} spend ${rest}`;
    }
    case 'FEE': {
      const much =
        effect.amount === undefined
          ? `an UNKNOWN network fee in ${nameOfAsset(effect.asset)}`
          : `network fee at most ${quantity(effect)}`;
      return `${much}${effect.from === names.self ? '' : ` paid by ${who(effect.from)}`}`;
    }
    case 'CREATE': {
      const made = effect.what === 'CONTRACT' ? 'create a contract' : 'create an account';
      const cost = effect.asset === undefined ? '' : ` for ${quantity({ ...effect, asset: effect.asset })}`;
      return `${made}${effect.to === undefined ? '' : ` ${who(effect.to)}`}${cost}`;
    }
    case 'AUTHORITY':
      return `CHANGE WHO CONTROLS ${who(effect.from)}: ${effect.what}${effect.to === undefined ? '' : ` ${who(effect.to)}`}`;
    case 'CALL':
      return effect.to === undefined ? effect.what : `call ${effect.what} on ${who(effect.to)}`;
    case 'REPLAYABLE':
      return `NOT BOUND TO ONE CHAIN: ${effect.what}`;
    case 'UNKNOWN': {
      const at = effect.to === undefined ? '' : ` on ${who(effect.to)}`;
      return `${effect.what}${at}, ${effect.bytes} bytes not understood: treat as dangerous`;
    }
  }
}

/** An amount in units of the asset where they are known, else in base units. */
function quantity({ asset, amount }: { readonly asset: Asset; readonly amount?: bigint }): string {
  const much =
    amount === undefined
      ? 'an unknown amount of'
      : asset.decimals === undefined
        ? `${grouped(amount.toString())} base units of`
        : grouped(formatUnits(amount, asset.decimals));
  return `${much} ${nameOfAsset(asset)}`;
}

function nameOfAsset({ id, symbol }: Asset): string {
  return symbol ?? `the asset ${id}`;
}

/** SECURITY: a label is text that somebody entered, so it stands in quotes and never in place of the address. */
function nameOf(address: string, names: Names): string {
  const shown = names.address?.(address) ?? address;
  const label = names.contact?.(address);
  return label === undefined ? shown : `${quoteText(label)} (${shown})`;
}

/** Digits in groups of three before the point. */
function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function formatTime(seconds: bigint): string {
  const ms = Number(seconds) * 1000;
  // The last moment that a Date can hold.
  return ms <= 8_640_000_000_000_000 ? new Date(ms).toISOString().slice(0, 16).replace('T', ' ') : 'the end of time';
}
