import { readdirSync, readFileSync } from 'node:fs';
import { policyOptions } from '@countersign/judgement';
import { compileExpression } from '@countersign/policy';
import { describe, expect, test } from 'vitest';

const docs = new URL('../../../docs/', import.meta.url);
const files = ['reference/policy.md', 'reference/policy-parameters.md', ...guides()];

function guides(): readonly string[] {
  return readdirSync(new URL('guide/', docs))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `guide/${name}`);
}

/** Options with the controls that a text names. */
function optionsFor(text: string): typeof policyOptions {
  const kinds = ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'];
  const controls = [...text.matchAll(/\bcontrols\.([a-z_]+)/g)].map(([, name = '']) => ({ name, doc: '', kinds }));
  return { ...policyOptions, controls };
}

/** The expressions of a page: blocks of policies, and the examples in its tables. */
function examplesIn(page: string): readonly string[] {
  const blocks = [...page.matchAll(/```policy\n(.*?)```/gs)].flatMap(([, text = '']) => blockExpressions(text));
  const tables = page.split(/\n\n/).filter((part) => /^\|.*\| Example \|\n/.test(part));
  const rows = tables.flatMap((table) => table.split('\n').slice(2));
  const cells = rows.flatMap((row) => /`([^`]+)` \|$/.exec(row)?.[1] ?? []);
  return [...blocks, ...cells.map((cell) => cell.replaceAll('\\|', '|'))];
}

/** A block is one expression, or one in each line, or fields such as `condition: …`. */
function blockExpressions(text: string): readonly string[] {
  const lines = text.trim().split('\n');
  const named = [...text.matchAll(/^\s*(?:condition|consensus|time):\s*(.*?)(?=^\s*[a-z]+:|$(?![\s\S]))/gms)];
  const fields = named.map(([, field = '']) => field.trim());
  if (fields.length > 0) return fields;
  return isValid(text) ? [text] : lines;
}

const fieldsOf = ['condition', 'consensus', 'time'] as const;

function isValid(text: string): boolean {
  return fieldsOf.some((field) => compileExpression(text, field, optionsFor(text), 'EVERY_OPERAND').expression !== undefined);
}

describe('every policy in the documents compiles', () => {
  test.each(files)('%s', (file) => {
    const examples = examplesIn(readFileSync(new URL(file, docs), 'utf8'));
    expect(examples.filter((text) => !isValid(text))).toEqual([]);
  });

  test('there are many', () => {
    const all = files.flatMap((file) => examplesIn(readFileSync(new URL(file, docs), 'utf8')));
    expect(all.length).toBeGreaterThan(130);
  });
});
