import { readFileSync } from 'node:fs';
import type { PolicyValue } from '../../src/index.ts';
import type { PolicyField } from '../../src/value.ts';

const folder = new URL('../../../../conformance/policy/', import.meta.url);

/** One case of the corpus. `conformance/policy/README.md` describes the members. */
export interface CorpusCase {
  readonly name: string;
  readonly condition?: unknown;
  readonly consensus?: unknown;
  readonly time?: unknown;
  readonly input?: string;
  readonly now?: string;
  readonly effect?: 'EFFECT_DENY';
  readonly language?: 1 | 2 | 3;
  readonly outcome: 'TRUE' | 'FALSE' | 'ERROR' | 'REFUSED';
  readonly error?: string;
  readonly diagnostics?: readonly string[];
}

/** The cases of a corpus file. */
export function loadCorpus<Case>(file: string): readonly Case[] {
  return (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { cases: readonly Case[] }).cases;
}

/** The inputs of the corpus by name. */
export function loadInputs(): ReadonlyMap<string, ReadonlyMap<string, PolicyValue>> {
  const inputs = JSON.parse(readFileSync(new URL('inputs.json', folder), 'utf8')) as Record<string, Record<string, unknown>>;
  return new Map(
    Object.entries(inputs).map(([name, values]) => [
      name,
      new Map(Object.entries(values).map(([path, value]) => [path, decodeValue(value)] as const)),
    ]),
  );
}

/** The field and the text of the expression of a case. */
export function expressionOf(entry: CorpusCase): { readonly field: PolicyField; readonly text: string } {
  for (const field of ['condition', 'consensus', 'time'] as const) {
    if (entry[field] !== undefined) return { field, text: decodeText(entry[field]) };
  }
  throw new Error(`case without an expression: ${entry.name}`);
}

/** A value of the corpus: `{"$int": "5"}` is an integer, `{"$map": {…}}` a dynamic map, and everything else is plain JSON. */
export function decodeValue(value: unknown): PolicyValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value !== 'object' || value === null) throw new Error('the corpus has no numbers and no null');
  if ('$int' in value) return BigInt(String(value.$int));
  if ('$map' in value) return new Map(Object.entries(value.$map as object).map(([key, each]) => [key, decodeValue(each)]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decodeValue(each)]));
}

function decodeText(text: unknown): string {
  if (typeof text === 'string') return text;
  const { $repeat, $then } = text as { $repeat: [string, number]; $then: string };
  return $repeat[0].repeat($repeat[1]) + $then;
}
