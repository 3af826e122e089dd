import { exampleOf } from '@countersign/contract';
import { kebabCase } from './naming.ts';
import { type Definition, schemaOf } from './operation.ts';
import { type FieldFlag, shortChoices } from './operation-flags.ts';
import { shellWord } from './shell-word.ts';

/** An example call that works once its values are replaced with real ones. */
export interface OperationExample {
  readonly argv: readonly string[];
  /** Files that the call names with `@`, by name. They hold values too nested for a flag. */
  readonly files: Readonly<Record<string, unknown>>;
}

/** An example call of an operation: its required fields, in short spelling. */
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

function short(field: FieldFlag, value: string): string {
  return shortChoices(field)[field.choices.indexOf(value)] ?? value;
}

/** The example as a help text. */
export function exampleText({ argv, files }: OperationExample): string {
  const contents = Object.entries(files).map(([file, value]) => `\n\n  with ${file}:\n  ${JSON.stringify(value)}`);
  return `\nExample:\n  $ countersign ${argv.map(shellWord).join(' ')}${contents.join('')}`;
}
