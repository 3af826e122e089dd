import { describe, expect, test } from 'vitest';
import { mentionsIn, readRepository, readThreats, testsOf } from '../../scripts/reference/threats.ts';

const { threats, mentions } = await readRepository();
const ids = threats.map(({ id }) => id);

describe('docs/threats.md', () => {
  test('explains every id once', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.length).toBeGreaterThan(90);
  });

  test('explains every id that source, tests and documents use', () => {
    expect(mentions.length).toBeGreaterThan(300);
    const unknown = mentions.filter(({ id }) => !ids.includes(id)).map(({ id, file, line }) => `${file}:${line} names ${id}`);
    expect(unknown, 'add a line to docs/threats.md, or correct the id').toEqual([]);
  });

  test('claims coverage only where a title of a test names the id', () => {
    const isCovered = (id: string) => testsOf(id, mentions).length > 0;
    const claimed = threats.filter(({ claimsCoverage }) => claimsCoverage);
    const uncovered = claimed.filter(
      ({ id }) => !isCovered(id) && !claimed.some((threat) => threat.principles.includes(id) && isCovered(threat.id)),
    );
    expect(uncovered, 'write a test, or move the line to "Not covered yet"').toEqual([]);
  });

  test('lists nothing under "Not covered yet" that a test covers', () => {
    const late = threats.filter(({ id, claimsCoverage }) => !claimsCoverage && testsOf(id, mentions).length > 0);
    expect(late, 'move the line to its section').toEqual([]);
  });
});

describe('reading', () => {
  // The ids that do not exist are put together here, so that this file mentions none of them.
  const [first, second] = ['D', 'A'].map((letter) => `${letter}98`) as [string, string];

  test('a row of a table that starts with an id is a threat', () => {
    const text = [
      '## One',
      '| Id | Principle | A | B |',
      '|---|---|---|---|',
      `| ${first} | P1, P2 | a | b |`,
      `${first} in prose`,
    ];
    const later = ['## Not covered yet', `| ${second} | a | b |`, '## Two', '| fault 1 | P1 matters | b |'];
    expect(readThreats([...text, ...later].join('\n'))).toEqual([
      { id: first, principles: ['P1', 'P2'], claimsCoverage: true },
      { id: second, principles: [], claimsCoverage: false },
      { id: 'fault 1', principles: [], claimsCoverage: true },
    ]);
  });

  test.each([
    ['a title', 'packages/x/test/y.test.ts', `test('${first}: it holds', () => {`, [[first, true]]],
    [
      'a title with two',
      'test/x/y.test.ts',
      `test("${first}, ${second}: both", () => {`,
      [
        [first, true],
        [second, true],
      ],
    ],
    ['a comment', 'test/x/y.test.ts', `  // ${first}: why`, [[first, false]]],
    ['a title that is not in a test', 'packages/x/src/y.ts', `log('${first}: it holds')`, [[first, false]]],
    [
      'prose',
      'docs/x.md',
      `see ${first}, (${second}) and ${first}.`,
      [
        [first, false],
        [second, false],
      ],
    ],
    ['a case of the conformance data', 'conformance/x.json', `{"name":"${first}: a case"}`, [[first, true]]],
    ['other conformance data', 'conformance/x.json', `{"data":"${first} ${second}"}`, []],
    ['a text that is no reference', 'test/x/y.test.ts', `type('${first}', 0x${second}, x${first})`, []],
  ])('%s', (_what, file, text, expected) => {
    expect(mentionsIn(file, `\n${text}\n`)).toEqual(expected.map(([id, isTitle]) => ({ id, file, line: 2, isTitle })));
  });
});
