const MAX_LENGTH = 72;

/** Verbs that look like a participle or a third person. */
const imperatives = new Set([
  'access',
  'address',
  'bypass',
  'compress',
  'discuss',
  'embed',
  'express',
  'feed',
  'focus',
  'need',
  'pass',
  'press',
  'process',
  'proceed',
  'seed',
  'shed',
  'speed',
  'suppress',
  'bring',
  'string',
  'ping',
  'swing',
  'wring',
]);
const articles = new Set([
  'a',
  'an',
  'the',
  'all',
  'each',
  'every',
  'no',
  'some',
  'this',
  'that',
  'it',
  'we',
  'what',
  'when',
  'where',
]);

/** What is wrong with the first line of a commit message; empty if it reads `area: imperative`. */
export function checkSubject(subject: string): string[] {
  const problems: string[] = [];
  if (subject.length > MAX_LENGTH) problems.push(`has ${subject.length} characters, at most ${MAX_LENGTH} are allowed`);
  if (subject.endsWith('.')) problems.push('ends with a full stop');
  const match = /^[a-z0-9][a-z0-9./-]*(?:, [a-z0-9][a-z0-9./-]*)*: (\S+) \S/.exec(subject);
  const [, verb] = match ?? [];
  if (verb === undefined) return [...problems, 'does not read "area: imperative"'];
  if (!isImperative(verb)) problems.push(`starts with "${verb}", which is not an imperative`);
  return problems;
}

function isImperative(word: string): boolean {
  if (imperatives.has(word)) return true;
  return /^[a-z][a-z-]+$/.test(word) && !articles.has(word) && !/(?:ed|ing|s)$/.test(word);
}
