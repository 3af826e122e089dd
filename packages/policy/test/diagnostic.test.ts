import { describe, expect, test } from 'vitest';
import { compileExpression } from '../src/expression.ts';
import { checkPolicy, renderDiagnostic } from '../src/index.ts';
import { host } from './support/host.ts';
import { vocabularies } from './support/vocabularies.ts';

const drawn = (text: string) =>
  compileExpression(text, 'condition', { ...host, vocabularies })
    .diagnostics.map((diagnostic) => renderDiagnostic(text, diagnostic))
    .join('\n');

describe('renderDiagnostic', () => {
  test('a caret under the mistake, and what to write instead', () => {
    expect(drawn("activity.action = 'SIGN'")).toMatchInlineSnapshot(`
      "error[INVALID_OPERATOR]: \`=\` is not an operator of the language
       --> 1:17
      1 | activity.action = 'SIGN'
        |                 ^
        = help: did you mean \`==\`?"
    `);
  });

  test('several mistakes, in the order of the text', () => {
    expect(drawn('activity.typ == \'x\' &&\n  eth.tx.valu > 1e18 && eth.tx.to == "x"')).toMatchInlineSnapshot(`
      "error[UNKNOWN_FIELD]: \`activity\` has no \`typ\`
       --> 1:10
      1 | activity.typ == 'x' &&
        |          ^^^
        = help: did you mean \`type\`?
      error[UNKNOWN_FIELD]: EthereumTransaction has no field \`valu\`
       --> 2:10
      2 |   eth.tx.valu > 1e18 && eth.tx.to == "x"
        |          ^^^^
        = help: did you mean \`value\`?
      error[INVALID_INTEGER]: this is not a decimal integer
       --> 2:17
      2 |   eth.tx.valu > 1e18 && eth.tx.to == "x"
        |                 ^^^^
        = help: write all digits: 1000000000000000000
      error[WRONG_QUOTES]: strings are written in single quotes
       --> 2:38
      2 |   eth.tx.valu > 1e18 && eth.tx.to == "x"
        |                                      ^^^
        = help: use \`'…'\`
      error[INVALID_ADDRESS]: this is not a valid ethereum address
       --> 2:38
      2 |   eth.tx.valu > 1e18 && eth.tx.to == "x"
        |                                      ^^^"
    `);
  });

  test('a long line is cut around the mistake', () => {
    const text = `${"activity.action == 'SIGN' && ".repeat(20)}eth.tx.nonse == 1${" && activity.action == 'SIGN'".repeat(20)}`;
    const lines = drawn(text).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
    const caret = lines.find((line) => line.includes('^')) ?? '';
    const source = lines[lines.indexOf(caret) - 1] ?? '';
    expect(source.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('nonse');
  });

  test('control characters do not reach the terminal', () => {
    expect(drawn('\u001b[31m true')).not.toContain('\u001b');
  });

  test('a word of the vocabulary is suggested', () => {
    expect(drawn("activity.kind == 'SIGN_TRANSACTIONS'")).toContain('did you mean `SIGN_TRANSACTION`?');
  });
});

describe('checkPolicy', () => {
  test('says which field each diagnostic is about', () => {
    const diagnostics = checkPolicy({ condition: 'nonsense', consensus: '', time: 'true &&' });
    expect(diagnostics.map(({ field, code }) => [field, code])).toEqual([
      ['condition', 'UNKNOWN_NAME'],
      ['consensus', 'EMPTY_EXPRESSION'],
      ['time', 'EXPECTED_EXPRESSION'],
    ]);
  });

  test('absent fields and an empty time are fine', () => {
    expect(checkPolicy({})).toEqual([]);
    expect(checkPolicy({ time: '', condition: undefined })).toEqual([]);
  });
});
