import type { Json } from '../../support/caller.ts';
import { linesOf, mirrored, textOf, withoutLeaves } from './edit-file.ts';

/** A seeded generator of edits of an audit file. The digest at the end is made anew, as somebody does who edits on purpose. */
export interface Mutation {
  readonly text: string;
  /** What was edited, for the message of a failure. */
  readonly what: string;
}

/** Numbers below a bound, the same for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // A 32-bit xorshift generator: the numbers need not be good, only repeatable.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** A place in the lines: an object or array, and one of its members. */
interface Spot {
  readonly parent: Json;
  readonly name: string;
  readonly path: string;
}

function spotsOf(value: Json, path = ''): Spot[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((name) => [
    { parent: value, name, path: `${path}/${name}` },
    ...spotsOf(value[name], `${path}/${name}`),
  ]);
}

type Random = (below: number) => number;
type Edit = (lines: Json[], random: Random, others: readonly string[]) => string | undefined;

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;
const someLine = (lines: Json[], random: Random) => random(lines.length);

function someSpot(lines: Json[], random: Random): Spot {
  const at = someLine(lines, random);
  const spot = pick(random, spotsOf(lines[at]));
  return { ...spot, path: `line ${at + 1}${spot.path}` };
}

const flipText: Edit = (lines, random) => {
  const { parent, name, path } = someSpot(lines, random);
  const value = parent[name];
  if (typeof value !== 'string' || value === '') return undefined;
  const at = random(value.length);
  const letter = String.fromCharCode(value.charCodeAt(at) ^ (1 << random(5)));
  parent[name] = value.slice(0, at) + letter + value.slice(at + 1);
  return `flip ${path} at ${at}`;
};

const changeValue: Edit = (lines, random) => {
  const { parent, name, path } = someSpot(lines, random);
  const value = parent[name];
  const given: Json = pick(random, [null, '', [], {}, 0, true, 'x', '00', -1]);
  parent[name] = typeof value === 'number' ? value + pick(random, [1, -1]) : typeof value === 'boolean' ? !value : given;
  return `change ${path}`;
};

const dropMember: Edit = (lines, random) => {
  const { parent, name, path } = someSpot(lines, random);
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
  return `delete ${path}`;
};

const doubleMember: Edit = (lines, random) => {
  const { parent, name, path } = someSpot(lines, random);
  if (Array.isArray(parent)) parent.splice(Number(name), 0, structuredClone(parent[Number(name)]));
  else parent[`${name}2`] = structuredClone(parent[name]);
  return `double ${path}`;
};

/** Another order of members, which leaves every value as it was. */
const swapMembers: Edit = (lines, random) => {
  const { parent, path } = someSpot(lines, random);
  const names = Object.keys(parent);
  if (names.length < 2) return undefined;
  const at = random(names.length - 1);
  if (Array.isArray(parent)) {
    [parent[at], parent[at + 1]] = [parent[at + 1], parent[at]];
    return `swap elements at ${path}`;
  }
  const entries = Object.entries(parent);
  [entries[at], entries[at + 1]] = [entries[at + 1] as [string, Json], entries[at] as [string, Json]];
  for (const name of names) delete parent[name];
  Object.assign(parent, Object.fromEntries(entries));
  return `swap members at ${path}`;
};

/** A value of another line with the same name: another signature, credential, digest, salt or time. */
const borrow: Edit = (lines, random) => {
  const { parent, name, path } = someSpot(lines, random);
  const same = spotsOf(lines).filter((spot) => spot.name === name && spot.parent !== parent);
  if (same.length === 0) return undefined;
  const from = pick(random, same);
  parent[name] = structuredClone(from.parent[name]);
  return `copy ${from.path} to ${path}`;
};

const moveLines: Edit = (lines, random) => {
  const [one, other] = [someLine(lines, random), someLine(lines, random)];
  const kind = random(3);
  if (kind === 0) lines.splice(one, 1);
  else if (kind === 1) lines.splice(one, 0, structuredClone(lines[other]));
  else [lines[one], lines[other]] = [lines[other], lines[one]];
  return `${['delete', 'copy', 'swap'][kind]} lines ${one + 1} and ${other + 1}`;
};

const mirror: Edit = (lines, random) => {
  const votes = lines.flatMap((line) => (line.content?.vote?.scheme?.includes('P256') ? [line.content.vote] : []));
  if (votes.length === 0) return undefined;
  const vote = pick(random, votes);
  vote.signature = mirrored(vote.signature);
  return `mirror the signature of vote ${vote.id}`;
};

/** Leaves become hashes in the gap of the next line. */
const hideLeaves: Edit = (lines, random) => {
  const count = lines.length - 2;
  const first = 1 + random(count);
  const hidden = Math.min(1 + random(3), count + 1 - first);
  withoutLeaves(lines, first, hidden);
  return `replace the leaves of lines ${first + 1} to ${first + hidden} by hashes`;
};

const otherCheckpoint: Edit = (lines, random, others) => {
  const { end } = linesOf(pick(random, others)).at(-1);
  const own = lines.at(-1).end;
  const what = pick(random, ['checkpoint', 'head', 'gap', 'head checkpoint']);
  if (what !== 'head checkpoint') own[what] = end[what];
  else if (own.head !== undefined) own.head.checkpoint = end.checkpoint;
  return `take the ${what} of another file`;
};

const passOff: Edit = (lines, random) => {
  const own = lines.filter((line) => line.content?.vote !== undefined);
  if (own.length === 0) return undefined;
  const leaf = pick(random, own);
  const { vote, result, changed } = leaf.content;
  const parentId = lines[1].opening.organizationId;
  leaf.content = JSON.parse(JSON.stringify({ judgedBy: parentId, body: vote.body, result, changed }));
  return `pass leaf ${leaf.opening.sequence} off as authorized by the parent`;
};

const edits: readonly Edit[] = [
  ...[flipText, flipText, flipText, changeValue, changeValue, dropMember, dropMember, doubleMember],
  ...[swapMembers, borrow, borrow, moveLines, mirror, hideLeaves, otherCheckpoint, passOff],
];

/** Edits of a file that differ from it. `others` are files of the same log key. */
export function* mutations(text: string, count: number, seed: number, others: readonly string[]): Generator<Mutation> {
  const random = seeded(seed);
  for (let made = 0; made < count; ) {
    const lines = linesOf(text);
    const what = pick(random, edits)(lines, random, others);
    if (what === undefined) continue;
    const mutated = textOf(lines);
    if (mutated === text) continue;
    made++;
    yield { text: mutated, what };
  }
}
