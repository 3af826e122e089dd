import { exampleOf } from '@countersign/contract';
import { kebabCase } from './naming.ts';
import { type Definition, fieldsOf, schemaOf } from './operation.ts';
import { type FieldFlag, shortChoices } from './operation-flags.ts';
import { shellQuote } from './shell-quote.ts';

/** An example call with placeholder values. */
export interface OperationExample {
  readonly argv: readonly string[];
  /** Files that the call references with `@`, by name. They contain values that are too nested for a flag. */
  readonly files: Readonly<Record<string, unknown>>;
}

/** Example call of an operation with its required fields, in short spelling. */
export function operationExample(definition: Definition, fields: readonly FieldFlag[]): OperationExample {
  const values = exampleOf(schemaOf(definition)) as Record<string, unknown>;
  const files: Record<string, unknown> = {};
  const argv = fields.flatMap((field) => {
    const value = values[field.field];
    if (value === undefined) return [];
    if (field.kind === 'json') {
      const file = `${kebabCase(field.field)}.json`;
      files[file] = value;
      return [field.flag, `@${file}`];
    }
    return (field.repeatable ? (value as unknown[]) : [value]).flatMap((one) => [field.flag, short(field, String(one))]);
  });
  return { argv: [kebabCase(definition.name), ...argv], files };
}

/** A call with the given values: a command line, or the parameters on standard input if a value is too long. */
export function operationCall(
  definition: Definition,
  values: Readonly<Record<string, unknown>>,
): { readonly argv: string; readonly stdin?: string } {
  const fields = fieldsOf(definition);
  const words = fields.flatMap((field) => {
    const holder = field.within === undefined ? values : ((values[field.within] ?? {}) as Record<string, unknown>);
    const value = holder[field.field];
    if (value === undefined) return [];
    if (field.kind === 'json') return [[field.flag, JSON.stringify(value)]];
    return (field.repeatable ? (value as unknown[]) : [value]).map((one) => [field.flag, short(field, String(one))]);
  });
  const command = `countersign ${kebabCase(definition.name)}`;
  const lines = words.map((pair) => pair.map(shellQuote).join(' '));
  if (lines.some((line) => line.length > LONGEST_FLAG)) {
    return { argv: `${command} --params -`, stdin: JSON.stringify(values, null, 2) };
  }
  const line = [command, ...lines].join(' ');
  return { argv: line.length <= LONGEST_LINE ? line : [command, ...lines.map((each) => `  ${each}`)].join(' \\\n') };
}

const LONGEST_FLAG = 160;
const LONGEST_LINE = 100;

function short(field: FieldFlag, value: string): string {
  return shortChoices(field)[field.choices.indexOf(value)] ?? value;
}

/** The example as a help text. */
export function exampleText({ argv, files }: OperationExample): string {
  const contents = Object.entries(files).map(([file, value]) => `\n\n  with ${file}:\n  ${JSON.stringify(value)}`);
  return `\nExample:\n  $ countersign ${argv.map(shellQuote).join(' ')}${contents.join('')}`;
}
