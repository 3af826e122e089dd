import type { z } from 'zod';

/** The generator of P-256 in its compressed form. */
export const P256_KEY = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';

type Def = {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly keyType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }[];
};

/** A value of a schema with everything in it that may be left out, and one element in each list. It need not validate. */
export function sampleOf(schema: z.core.$ZodType, name = 'value'): unknown {
  const def = schema._zod.def as unknown as Def;
  if (def.innerType !== undefined) return sampleOf(def.innerType, name);
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape ?? {}).map(([field, member]) => [field, sampleOf(member, field)]));
    case 'array':
      return [sampleOf(def.element as z.core.$ZodType, name)];
    case 'record':
      return { [String(sampleOf(def.keyType as z.core.$ZodType, name))]: sampleOf(def.valueType as z.core.$ZodType, name) };
    case 'union': {
      const samples = (def.options ?? []).map((option) => sampleOf(option, name));
      return samples.every((sample) => typeof sample === 'object') ? Object.assign({}, ...samples) : samples[0];
    }
    case 'enum':
      return Object.values(def.entries ?? {})[0];
    case 'literal':
      return def.values?.[0];
    case 'boolean':
      return true;
    case 'number':
      return 7;
    case 'string':
      return textFor(def, name);
    default:
      throw new Error(`no sample for a schema of type ${def.type}`);
  }
}

function textFor({ checks = [] }: Def, name: string): string {
  if (/PublicKey$/.test(name)) return P256_KEY.toUpperCase();
  const fits = ['86400', '86', '1767225600000', 'AbCd'.repeat(17).slice(0, 66), 'AbCd'.repeat(16), `sha256:${'5f'.repeat(32)}`];
  const patterns = checks.flatMap(({ _zod: { def } }) => (def.pattern === undefined ? [] : [def.pattern]));
  const plain = `${name} Of This`;
  return [plain, ...fits].find((text) => patterns.every((pattern) => pattern.test(text))) ?? plain;
}
