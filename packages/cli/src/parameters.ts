import type { Client } from '@countersign/client';
import type { z } from 'zod';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';
import { readJsonInput } from './json-input.ts';
import { idOf, kindOfField, type Named } from './names.ts';
import { type FieldFlag, wordFlags } from './operation-flags.ts';

type Values = Record<string, unknown>;

/** Reads the parameters of an operation from `--params` and from flags. Flags take precedence. Reads files and stdin for JSON. */
export async function readParameters(context: Context, fields: readonly FieldFlag[], flags: Readonly<Values>): Promise<Values> {
  const base = flags.params === undefined ? {} : await readJsonInput(context, '--params', String(flags.params));
  if (!isObject(base)) {
    throw new UsageError(
      '--params is not a JSON object.',
      `Pass the parameters by name, for example --params '{"name":"value"}'.`,
    );
  }
  const values: Values = { ...base };
  for (const { field, within, flag, attribute, kind, emptyByDefault, inWords } of fields) {
    const wordFlag = wordFlags[inWords ?? ''];
    const words = wordFlag === undefined ? undefined : (flags[wordFlag.attribute] as string[] | undefined);
    if (wordFlag !== undefined && words !== undefined) {
      const before =
        flags[attribute] === undefined ? values[field] : await readJsonInput(context, flag, String(flags[attribute]));
      values[field] = [...(Array.isArray(before) ? before : []), ...(await Promise.all(words.map(wordFlag.read)))];
      continue;
    }
    const given = flags[attribute];
    if (given === undefined) {
      if (emptyByDefault) values[field] ??= [];
      continue;
    }
    const value = kind === 'json' ? await readJsonInput(context, flag, String(given)) : given;
    if (within === undefined) values[field] = value;
    else values[within] = { ...(isObject(values[within]) ? values[within] : {}), [field]: value };
  }
  return values;
}

/** Validates parameters like the service does. Throws UsageError with the names of the flags. */
export function checkParameters(
  command: string,
  schema: z.ZodType,
  values: Readonly<Values>,
  fields: readonly FieldFlag[],
): void {
  const { error } = schema.safeParse(values);
  if (error === undefined) return;
  const problems = error.issues.map(({ path, message }) => {
    const known = fields.find(({ field, within }) =>
      (within === undefined ? [field] : [within, field]).every((step, i) => path[i] === step),
    );
    if (known === undefined) return [path.join('.'), message].filter((part) => part !== '').join(' ');
    if (known.within === undefined && values[known.field] === undefined) return `${known.flag} is required`;
    const inner = path.slice(known.within === undefined ? 1 : 2).map((step) => `[${JSON.stringify(step)}]`);
    return `${known.flag}${inner.join('')} ${message}`;
  });
  throw new UsageError(
    `${command}: ${problems.join('; ')}`,
    `See "countersign ${command} --help" for the parameters and an example.`,
  );
}

/** Replaces names and id prefixes in the parameters with ids. Calls `onFound` for each lookup. */
export async function withIds(
  client: Client,
  values: Readonly<Values>,
  fields: readonly FieldFlag[],
  onFound: (flag: string, reference: string, found: Named) => void,
): Promise<Values> {
  const resolved: Values = { ...values };
  for (const { field, within, flag, kind, repeatable } of fields) {
    const given = values[field];
    if (given === undefined || within !== undefined || kind !== 'text') continue;
    const lookUp = async (reference: string) => {
      const named = kindOfField(field, reference);
      if (named === undefined) return reference;
      const found = await idOf(client, named, reference);
      if (found.id !== reference) onFound(flag, reference, found);
      return found.id;
    };
    resolved[field] = repeatable ? await Promise.all((given as string[]).map(lookUp)) : await lookUp(String(given));
  }
  return resolved;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
