import type { PolicyValue } from '@countersign/policy';
import type { ExactJsonValue } from '@countersign/strict-json';
import { formatQuantity } from '../../effects/quantity.ts';
import { formatTime } from '../../effects/sentence.ts';
import type { TokenList } from '../../effects/token-list.ts';
import { formatUnits } from '../../shared/text.ts';
import { coinOf, tokenAsset } from '../calls/assets.ts';
import type { CallScope } from '../calls/scope.ts';
import { describeOne, quote } from '../description.ts';
import type { DisplayFormat } from './descriptor.ts';
import type { FieldFormat } from './fields.ts';

/** The values that fields refer to: the arguments or the message, and its contract and chain. */
export interface Shown {
  readonly values: ReadonlyMap<string, PolicyValue>;
  /** `@.value`, `@.from` and `@.to` of a transaction. */
  readonly container: ReadonlyMap<string, PolicyValue>;
  readonly scope: Pick<CallScope, 'chainId' | 'countDescribed'>;
  readonly tokens: TokenList | undefined;
}

interface Found {
  /** The way to the value, for example `params.path.0`. */
  readonly place: string;
  readonly value: PolicyValue;
}

const maxShown = 20;
/** Characters of a path that count as one selected value. */
const COUNTED_CHARACTERS = 32;
const addressPattern = /^0x[0-9a-f]{40}$/;

/**
 * The text of a format: its intent, its labelled fields, then every value that no field shows.
 * SECURITY: a descriptor may label and reorder, never leave out. Its own words stand in quotes.
 */
export function showFields({ intent, fields }: DisplayFormat, name: string, shown: Shown): string {
  const covered = new Set<string>();
  const labelled = fields.flatMap((field) => {
    const found = resolve(field.path, shown);
    for (const { place } of found) covered.add(place);
    const text = () => `${quote(field.label)}: ${found.map(({ value }) => format(value, field, shown)).join(', ')}`;
    return found.length === 0 ? [] : [text];
  });
  const others = leaves(shown.values, '')
    .filter(({ place }) => !isCovered(place, covered))
    .map(({ place, value }) => {
      return () => `${place}: ${describeOne(value)}`;
    });
  const parts = [...labelled, ...others];
  const listed = parts.slice(0, maxShown).map((text) => text());
  if (parts.length > maxShown) listed.push(`and ${parts.length - maxShown} more`);
  return `${intent === '' ? name : `${quote(intent)}, ${name}`}(${listed.join(', ')})`;
}

function isCovered(place: string, covered: ReadonlySet<string>): boolean {
  for (let at = place.length; at > 0; at = place.lastIndexOf('.', at - 1)) if (covered.has(place.slice(0, at))) return true;
  return false;
}

/** The values at a path. Empty if the path does not exist or selects bytes of a value. */
function resolve(path: string, { values, container, scope }: Shown): readonly Found[] {
  const isContainer = path.startsWith('@.');
  // Long paths count too, also if they select nothing.
  scope.countDescribed(1 + Math.floor(path.length / COUNTED_CHARACTERS));
  const steps = path.replace(/^[#@]\./, '').split('.');
  let found: readonly Found[] = [{ place: isContainer ? '@' : '', value: isContainer ? container : values }];
  for (const step of steps) {
    found = found.flatMap((each) => follow(each, step));
    scope.countDescribed(found.length);
  }
  return found;
}

function follow({ place, value }: Found, step: string): readonly Found[] {
  const at = (key: string, part: PolicyValue | undefined): readonly Found[] =>
    part === undefined ? [] : [{ place: place === '' ? key : `${place}.${key}`, value: part }];
  if (value instanceof Map) return at(step, value.get(step));
  if (!Array.isArray(value)) return [];
  const items: readonly PolicyValue[] = value;
  if (step === '[]') return items.flatMap((item, index) => at(String(index), item));
  const [, digits] = /^\[?(-?[0-9]{1,5})\]?$/.exec(step) ?? [];
  const index = Number(digits);
  return digits === undefined ? [] : at(String(index < 0 ? items.length + index : index), items.at(index));
}

/** Every value without parts. An empty list is one. */
function leaves(value: PolicyValue, place: string): readonly Found[] {
  const within = (key: string) => (place === '' ? key : `${place}.${key}`);
  if (value instanceof Map) return Array.from(value, ([key, part]) => leaves(part, within(key))).flat();
  if (Array.isArray(value) && value.length > 0) {
    return (value as readonly PolicyValue[]).flatMap((part, index) => leaves(part, within(String(index))));
  }
  return [{ place, value }];
}

function format(value: PolicyValue, field: FieldFormat, shown: Shown): string {
  return formats[field.format]?.(value, field, shown) ?? describeOne(value);
}

/** Formats of ERC-7730. Each returns undefined for a value that it does not fit, which is then shown raw. */
const formats: {
  readonly [name: string]: ((value: PolicyValue, field: FieldFormat, shown: Shown) => string | undefined) | undefined;
} = {
  amount: (value, _, { scope }) =>
    typeof value === 'bigint' ? formatQuantity({ asset: coinOf(scope.chainId), amount: value }) : undefined,
  tokenAmount: (value, { params }, shown) => {
    const token = tokenOf(params.get('tokenPath'), params.get('token'), shown);
    if (typeof value !== 'bigint' || token === undefined) return undefined;
    const natives = [params.get('nativeCurrencyAddress')]
      .flat()
      .map((each) => (typeof each === 'string' ? each.toLowerCase() : ''));
    const asset = natives.includes(token) ? coinOf(shown.scope.chainId) : tokenAsset(shown.scope.chainId, token, shown.tokens);
    return formatQuantity({ asset, amount: value });
  },
  date: (value, { params }) => {
    if (typeof value !== 'bigint' || value < 0n) return undefined;
    return params.get('encoding') === 'blockheight' ? `block ${value}` : formatTime(value);
  },
  duration: (value) => (typeof value === 'bigint' ? `${value} seconds` : undefined),
  unit: (value, { params }) => {
    const decimals = params.get('decimals') ?? 0n;
    const base = params.get('base');
    if (typeof value !== 'bigint' || value < 0n || typeof decimals !== 'bigint' || decimals > 77n || decimals < 0n)
      return undefined;
    return `${formatUnits(value, Number(decimals))}${typeof base === 'string' ? ` ${quote(base)}` : ''}`;
  },
  // Show the number as well as the name that the descriptor gives it.
  enum: (value, { names }) => {
    const name = typeof value === 'bigint' ? names?.get(value.toString()) : undefined;
    return typeof name === 'string' ? `${quote(name)} (${String(value)})` : undefined;
  },
};

function tokenOf(path: ExactJsonValue | undefined, token: ExactJsonValue | undefined, shown: Shown): string | undefined {
  const [found] = typeof path === 'string' ? resolve(path, shown) : [];
  const address = found === undefined ? token : found.value;
  return typeof address === 'string' && addressPattern.test(address.toLowerCase()) ? address.toLowerCase() : undefined;
}
