import { readFileSync } from 'node:fs';
import type { ActivityParameter, CheckOptions } from '../../src/index.ts';
import { type Type, t } from '../../src/types.ts';
import { normalizers } from './normalizers.ts';

type TypeText =
  | string
  | { readonly list: TypeText }
  | { readonly struct: string; readonly fields: Readonly<Record<string, TypeText>> };

const file = JSON.parse(readFileSync(new URL('../../../../conformance/policy/parameters.json', import.meta.url), 'utf8')) as {
  parameters: readonly { name: string; type: TypeText; kinds: readonly string[] }[];
  controls: readonly { name: string; kinds: readonly string[] }[];
  secret: readonly string[];
  units: Readonly<Record<string, Readonly<Record<string, number>>>>;
  assets: Readonly<Record<string, { home?: string; byChain: Readonly<Record<string, { id: string; decimals: number }>> }>>;
};

/** The parameters of the corpus. */
const parameters: readonly ActivityParameter[] = file.parameters.map(({ name, type, kinds }) => ({
  name,
  type: toType(type),
  doc: '',
  kinds,
}));

const units = new Map(Object.entries(file.units).map(([symbol, chains]) => [symbol, new Map(Object.entries(chains))]));

const assets = new Map(
  Object.entries(file.assets).map(([name, { byChain, ...rest }]) => [
    name,
    { ...rest, byChain: new Map(Object.entries(byChain)) },
  ]),
);

const controls = file.controls.map((control) => ({ ...control, doc: '' }));

/** The host of the corpus: canonical addresses, and the parameters, controls, units and assets of `conformance/policy/parameters.json`. */
export const host: CheckOptions = { normalizers, parameters, controls, secretParameters: new Set(file.secret), units, assets };

function toType(text: TypeText): Type {
  if (typeof text === 'object' && 'list' in text) return t.list(toType(text.list));
  if (typeof text === 'object') {
    const fields = Object.entries(text.fields).map(([name, type]) => [name, { type: toType(type), doc: '' }]);
    return t.struct(text.struct, Object.fromEntries(fields));
  }
  const inner = /^list<(.*)>$/.exec(text)?.[1];
  if (inner !== undefined) return t.list(toType(inner));
  const found = { string: t.string, int: t.int, bool: t.bool, hex: t.hex, caseless: t.caseless }[text];
  if (found === undefined) throw new Error(`no type named ${text}`);
  return found;
}
