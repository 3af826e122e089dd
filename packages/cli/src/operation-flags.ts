import { nearest } from '@countersign/server/command';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { commonPrefix, expandValue, shortValue } from './naming.ts';

/** Flag for one field of an operation. */
export interface FieldFlag {
  readonly field: string;
  /** Object that contains the field. Undefined for a top-level parameter. */
  readonly within?: string;
  /** Including the dashes. */
  readonly flag: string;
  /** Name of the flag's value in Commander's options. */
  readonly attribute: string;
  readonly required: boolean;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'json';
  readonly repeatable: boolean;
  /** True for a required list that is empty without the flag. */
  readonly emptyByDefault: boolean;
  /** Full names of the allowed values. Empty if any value is allowed. */
  readonly choices: readonly string[];
  /** The key in `wordFlags` of another flag, for one item of the list in short form. */
  readonly inWords?: string;
}

/** A flag for a nested value that has a short form. */
export interface WordFlag {
  readonly flag: string;
  readonly attribute: string;
  readonly description: string;
  read(words: string): Promise<unknown>;
}

/** Flags for shapes that have a short form, by the name of the shape. */
export const wordFlags: Readonly<Record<string, WordFlag>> = {
  WalletAccountParams: {
    flag: '--account',
    attribute: 'account',
    description: 'an account: ethereum, solana:1, "bitcoin p2tr testnet 0" (can be repeated)',
    // Loaded on use, because it loads all address formats.
    read: async (words) => (await import('./parse-account.ts')).parseAccount(words),
  },
};

/** Maximum number of choices in help texts. */
const LISTED_CHOICES = 12;

/** Choices in short form: lower case, without their common prefix. */
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
  const words = wordFlags[field.inWords ?? ''];
  if (words === undefined) return;
  const several = (text: string, before: readonly string[] = []) => [...before, text];
  command.addOption(new Option(`${words.flag} <words>`, words.description).argParser(several));
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
    field.repeatable ? 'can be repeated' : '',
    field.kind === 'json' ? 'also @file, or - for standard input' : '',
  ].filter((note) => note !== '');
  const parts = [field.description, listed === '' ? '' : `one of: ${listed}`, notes.length === 0 ? '' : `(${notes.join('; ')})`];
  return parts.filter((part) => part !== '').join(' ');
}

/** Lists all choices if there are few, else the nearest one. */
function notAChoice(text: string, choices: readonly string[]): string {
  if (choices.length <= LISTED_CHOICES) return `It must be one of: ${choices.join(', ')}.`;
  const wanted = text.toLowerCase().replaceAll('_', '-');
  return `It is not one of the ${choices.length} allowed values. The nearest one is ${nearest(wanted, choices)}.`;
}

/** Parses the value of a field. Throws Commander's error if it is invalid. */
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
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be an integer.');
  return Number(text);
}
