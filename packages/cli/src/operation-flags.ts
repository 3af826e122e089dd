import { type JsonSchema, jsonSchemaOf } from '@countersign/contract';
import { nearest } from '@countersign/server/config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { commonPrefix, expandValue, kebabCase, shortValue } from './naming.ts';

/** How the command line takes one field of an operation. */
export interface FieldFlag {
  readonly field: string;
  /** The object that holds the field. Undefined for the parameters themselves. */
  readonly within?: string;
  /** With its dashes. */
  readonly flag: string;
  /** The name of the flag's value in Commander's options. */
  readonly attribute: string;
  readonly required: boolean;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'json';
  readonly repeatable: boolean;
  /** Whether the field is a required list that may be empty. Without the flag it is empty. */
  readonly emptyByDefault: boolean;
  /** The values to choose from, in full. Empty if any value will do. */
  readonly choices: readonly string[];
  /** Another flag, for one item of the list in a few words. */
  readonly inWords?: WordFlag;
}

/** A flag for a nested value that has a short form. */
export interface WordFlag {
  readonly flag: string;
  readonly attribute: string;
  readonly description: string;
  read(words: string): Promise<unknown>;
}

/** Shapes that have a short form. */
const wordShapes: Readonly<Record<string, WordFlag>> = {
  WalletAccountParams: {
    flag: '--account',
    attribute: 'account',
    description: 'an account in a few words: ethereum, solana:1, "bitcoin p2tr testnet 0" (may be given several times)',
    // Loaded when it is used: it brings all address formats.
    read: async (words) => (await import('./account-words.ts')).accountFromWords(words),
  },
};

/** Help texts list at most this many choices. */
const LISTED_CHOICES = 12;

/** Shapes whose fields become separate flags: people use them too often for JSON. */
const spreadShapes: ReadonlySet<string | undefined> = new Set(['PaginationOptions']);

/** Other flag names for fields whose own name every command already uses: `--url` is the address of the service. */
const otherNames: Readonly<Record<string, string>> = { url: 'webhookUrl' };

/** A flag for each field of the schema, except those in `leaveOut`. */
export function flagsOf(schema: z.ZodType, leaveOut: readonly string[] = []): FieldFlag[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  return Object.entries(properties)
    .filter(([field]) => !leaveOut.includes(field))
    .flatMap(([field, property]) =>
      spreadShapes.has(property.title)
        ? Object.entries(property.properties ?? {}).map(([inner, one]) => ({ ...flagOf(inner, one, false), within: field }))
        : flagOf(field, property, required.includes(field)),
    );
}

function flagOf(field: string, property: JsonSchema, required: boolean): FieldFlag {
  const item = property.type === 'array' ? (property.items ?? {}) : property;
  const kind = kindOf(item);
  const emptyByDefault = required && property.type === 'array' && (property.minItems ?? 0) === 0;
  const attribute = otherNames[field] ?? field;
  const inWords = wordShapes[item.title ?? ''];
  return {
    field,
    flag: `--${kebabCase(attribute)}`,
    attribute,
    required: required && !emptyByDefault,
    emptyByDefault,
    description: property.description ?? item.description ?? '',
    kind,
    // A list of nested values is one JSON value. A list of scalars is a repeated flag.
    repeatable: property.type === 'array' && kind !== 'json',
    choices: kind === 'json' ? [] : choicesOf(item),
    ...(property.type === 'array' && inWords && { inWords }),
  };
}

function kindOf({ type, anyOf, enum: values, const: value }: JsonSchema): FieldFlag['kind'] {
  if (anyOf !== undefined) {
    const kinds = new Set(anyOf.map(kindOf));
    return kinds.size === 1 ? ([...kinds][0] ?? 'json') : 'json';
  }
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || typeof (values?.[0] ?? value) === 'string') return 'text';
  return 'json';
}

function choicesOf({ anyOf = [], enum: values = [], const: value }: JsonSchema): string[] {
  return [...values, ...(value === undefined ? [] : [value]), ...anyOf.flatMap(choicesOf)].map(String);
}

/** The choices as people write them: lower case, without their common prefix. */
export function shortChoices({ kind, choices }: FieldFlag): string[] {
  const prefix = kind === 'text' ? commonPrefix(choices) : '';
  return choices.map((choice) => shortValue(choice, prefix));
}

/** A flag whose values a shell can complete. */
export class FieldOption extends Option {
  readonly completions: readonly string[];

  constructor(field: FieldFlag) {
    super(`${field.flag} ${placeholder(field)}`, describe(field));
    this.completions = field.kind === 'boolean' ? ['true', 'false'] : shortChoices(field);
  }
}

export function addFieldFlag(command: Command, field: FieldFlag): void {
  const option = new FieldOption(field);
  option.argParser((text: string, before: unknown) => {
    const value = parseField(field, text);
    return field.repeatable ? [...((before as unknown[] | undefined) ?? []), value] : value;
  });
  command.addOption(option);
  if (field.inWords === undefined) return;
  const several = (text: string, before: readonly string[] = []) => [...before, text];
  command.addOption(new Option(`${field.inWords.flag} <words>`, field.inWords.description).argParser(several));
}

function placeholder({ kind, repeatable }: FieldFlag): string {
  if (kind === 'boolean') return '[true|false]';
  return `<${kind === 'text' && repeatable ? 'item' : kind}>`;
}

function describe(field: FieldFlag): string {
  const short = shortChoices(field);
  const listed = short.slice(0, LISTED_CHOICES).join(', ') + (short.length > LISTED_CHOICES ? ', …' : '');
  const notes = [
    field.required ? 'required' : '',
    field.emptyByDefault ? 'none by default' : '',
    field.repeatable ? 'may be given several times' : '',
    field.kind === 'json' ? 'also @file, or - for standard input' : '',
  ].filter((note) => note !== '');
  const parts = [field.description, listed === '' ? '' : `one of: ${listed}`, notes.length === 0 ? '' : `(${notes.join('; ')})`];
  return parts.filter((part) => part !== '').join(' ');
}

/** All choices where they are few, else the nearest one. */
function notAChoice(text: string, choices: readonly string[]): string {
  if (choices.length <= LISTED_CHOICES) return `It must be one of: ${choices.join(', ')}.`;
  const wanted = text.toLowerCase().replaceAll('_', '-');
  return `It is none of the ${choices.length} values. The nearest one is ${nearest(wanted, choices)}.`;
}

/** The value that a person means. Throws Commander's error for one that the field cannot have. */
export function parseField(field: FieldFlag, text: string): unknown {
  if (field.kind === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
    return text === 'true';
  }
  if (field.choices.length > 0) {
    const value = expandValue(text, field.choices);
    if (value === undefined) throw new InvalidArgumentError(notAChoice(text, shortChoices(field)));
    return field.kind === 'number' ? Number(value) : value;
  }
  if (field.kind !== 'number') return text;
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
