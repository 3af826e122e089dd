import { expect, test } from 'vitest';
import { type NamedTag, resolveTags } from '../src/index.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const treasurers: NamedTag = { id: id('1'), name: 'treasurers', kind: 'user tag' };
const quoted: NamedTag = { id: id('2'), name: "the CEO's", kind: 'user tag' };
const hot: NamedTag = { id: id('3'), name: 'hot', kind: 'private key tag' };
const tags = [treasurers, quoted, hot];

test('names in tag calls become ids, and nothing else changes', () => {
  const text = `# tag('treasurers')\napprovers.any(u, u.tags.contains(tag( 'treasurers' )) || u.alias == 'tag(\\'hot\\')') || tag('the CEO\\'s') == tag('${hot.id}')`;
  const resolved = resolveTags(text, tags);
  expect(resolved.problems).toEqual([]);
  expect(resolved.found).toEqual([treasurers, quoted]);
  expect(resolved.text).toBe(
    text.replace("tag( 'treasurers' )", `tag( '${treasurers.id}' )`).replace("tag('the CEO\\'s')", `tag('${quoted.id}')`),
  );
  expect(resolveTags(resolved.text, tags)).toMatchObject({ text: resolved.text, found: [] });
});

test('D445: a name that no tag has, or several, is a problem that lists the tags', () => {
  const problemsOf = (name: string, all = tags) => {
    const { text, problems } = resolveTags(`user.tags.contains(tag('${name}'))`, all);
    if (problems.length > 0) expect(text).toBe(`user.tags.contains(tag('${name}'))`);
    return problems.map(({ message, help }) => `${message}: ${help}`);
  };
  expect(problemsOf('treasurer')).toEqual(['there is no tag `treasurer`: did you mean `treasurers`?']);
  expect(problemsOf('Treasurers')).toHaveLength(1);
  expect(problemsOf('unlike')).toEqual(["there is no tag `unlike`: one of `treasurers`, `the CEO's`, `hot`"]);
  expect(problemsOf('hot', [...tags, { ...hot, id: id('4'), kind: 'user tag' }])).toEqual([
    `\`hot\` is the name of several tags: write one of tag('${hot.id}') (private key tag), tag('${id('4')}') (user tag)`,
  ]);
  expect(problemsOf('treasurers')).toEqual([]);
});

test('D445: a tag whose name is the id of another tag, or of a deleted one, is never meant by that id', () => {
  const forged: NamedTag = { id: id('5'), name: treasurers.id, kind: 'user tag' };
  const deleted: NamedTag = { id: id('6'), name: id('9'), kind: 'user tag' };
  const text = `user.tags.contains(tag('${treasurers.id}'))`;
  expect(resolveTags(text, [forged, ...tags])).toEqual({ text, found: [], problems: [] });
  expect(resolveTags(`tag('${id('9')}')`, [deleted, ...tags]).problems).toHaveLength(1);
});

test('D445: a hostile name does not break out of the message or of the expression', () => {
  const name = "x') || true || tag('\u202e`\n";
  const hostile: NamedTag = { id: id('7'), name, kind: 'user tag' };
  const [problem] = resolveTags("tag('y')", [hostile]).problems;
  expect(problem?.help).not.toMatch(/[\n\u202e]/);
  const text = `tag('x') || true || tag('${treasurers.id}')`;
  expect(resolveTags(text, [hostile, ...tags]).problems).toHaveLength(1);
});
