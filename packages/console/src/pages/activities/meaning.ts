interface Limits {
  readonly to?: string;
  readonly min?: string;
  readonly max?: string;
  readonly asset?: string;
}

/** What a text in the search field means. */
export type Meaning =
  | { readonly is: 'activity'; readonly id: string }
  | { readonly is: 'address'; readonly filter: Limits }
  | { readonly is: 'amount'; readonly filter: Limits }
  /** An amount with separators, which people read as different numbers. */
  | { readonly is: 'unclear' }
  | { readonly is: 'name'; readonly text: string }
  | undefined;

/** Addresses of all chains: hexadecimal, Base58, Bech32, and TON with workchain or flags. */
const ADDRESS = /^(0x[0-9a-f]{40}|[a-z0-9]{26,100}|-?\d:[0-9a-f]{64}|[EUk0]Q[\w+/-]{46})$/i;

/** Reads a text in the search field: an id, an address, an amount such as `25000 USDC` or `> 500`, or a name. */
export function meaningOf(text: string): Meaning {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(trimmed)) return { is: 'activity', id: trimmed.toLowerCase() };
  const [, sign, digits = '', asset] = /^([<>]?)=?\s*(\d[\d.,'’ ]*?)\s*([A-Za-z][A-Za-z0-9.]{0,15})?$/.exec(trimmed) ?? [];
  if (digits !== '') {
    if (!/^\d+(\.\d+)?$/.test(digits)) return { is: 'unclear' };
    const limits = sign === '>' ? { min: digits } : sign === '<' ? { max: digits } : { min: digits, max: digits };
    return { is: 'amount', filter: { ...limits, ...(asset !== undefined && { asset }) } };
  }
  if (ADDRESS.test(trimmed)) return { is: 'address', filter: { to: trimmed } };
  return { is: 'name', text: trimmed };
}
