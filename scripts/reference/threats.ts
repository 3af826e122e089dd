import { readdir, readFile } from 'node:fs/promises';
import { page, table } from './markdown.ts';

/** A line of docs/threats.md. */
export interface Threat {
  readonly id: string;
  /** The principles that it is an example of. */
  readonly principles: readonly string[];
  /** False if the line is under "Not covered yet". */
  readonly claimsCoverage: boolean;
}

/** A place in the repository that names a threat. */
export interface Mention {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** Whether the title of a test or the name of a conformance case starts with the id. */
  readonly isTitle: boolean;
}

const root = new URL('../../', import.meta.url);
const folders = ['bench', 'conformance', 'docs', 'packages', 'scripts', 'test'];
/** Generated folders. `docs/reference` contains the page that this file writes. */
const isGenerated = /(^|\/)(node_modules|dist)$|^packages\/cli\/run$|^docs\/reference$/;

const id = '(?:[AD]\\d{2,4}|[PR]\\d|fault \\d{1,2})';
/** A list of ids at the start of a text, followed by a colon: `'D02, fault 7: …`. */
const title = new RegExp(`['"\`](${id}(?:, ${id})*):`, 'g');
/** An id in prose, a comment or a title. A quoted one, such as the name of a type in a test, does not count. */
const mention = new RegExp(`\\b${id}(?=[\\s:,;.)]|$)`, 'g');

/** The lines of docs/threats.md that explain an id: rows of tables whose first cell is one. */
export function readThreats(text: string): readonly Threat[] {
  const threats: Threat[] = [];
  let claimsCoverage = true;
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) claimsCoverage = line !== '## Not covered yet';
    const [, found, second = ''] = line.match(new RegExp(`^\\| (${id}) \\|([^|]*)\\|`)) ?? [];
    if (found === undefined) continue;
    const principles = /^( P\d,?)+ $/.test(second) ? (second.match(/P\d/g) ?? []) : [];
    threats.push({ id: found, principles, claimsCoverage });
  }
  return threats;
}

/** Every id that a file names. Only the titles of conformance data count, because its other texts are test input. */
export function mentionsIn(file: string, text: string): readonly Mention[] {
  return text.split('\n').flatMap((content, index) => {
    const titles = isTest(file) ? [...content.matchAll(title)].flatMap(([, ids = '']) => ids.split(', ')) : [];
    const all = file.endsWith('.json') ? titles : (content.match(mention) ?? []);
    return [...new Set(all)].map((id) => ({ id, file, line: index + 1, isTitle: titles.includes(id) }));
  });
}

function isTest(file: string): boolean {
  return file.startsWith('conformance/') || /^(packages\/[^/]+\/)?test\//.test(file);
}

/** The threats of docs/threats.md, and every use of their ids in the repository. */
export async function readRepository(): Promise<{ threats: readonly Threat[]; mentions: readonly Mention[] }> {
  const files = (await readdir(root)).filter((name) => name.endsWith('.md'));
  for (const folder of folders) files.push(...(await filesIn(folder)));
  const mentions: Mention[] = [];
  for (const file of files.sort()) mentions.push(...mentionsIn(file, await readFile(new URL(file, root), 'utf8')));
  return { threats: readThreats(await readFile(new URL('docs/threats.md', root), 'utf8')), mentions };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(new URL(folder, root), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!isGenerated.test(path)) found.push(...(await filesIn(path)));
    } else if (/\.(ts|mjs|js|md)$/.test(entry.name) || (folder.startsWith('conformance') && entry.name.endsWith('.json'))) {
      found.push(path);
    }
  }
  return found;
}

/** The files whose tests cover a threat. */
export function testsOf(id: string, mentions: readonly Mention[]): readonly string[] {
  return [...new Set(mentions.filter((mention) => mention.id === id && mention.isTitle).map(({ file }) => file))];
}

/** Which tests cover which threat. */
export async function threatsPage(): Promise<string> {
  const { threats, mentions } = await readRepository();
  const links = (files: readonly string[]) => files.map((file) => `[${file}](../../${file})`).join('<br>');
  const rows = threats.map(({ id, claimsCoverage }) => {
    const examples = threats.filter(({ principles }) => principles.includes(id)).map((threat) => threat.id);
    const covered = [examples.join(', '), links(testsOf(id, mentions))].filter((text) => text !== '');
    return [id, claimsCoverage ? covered.join('<br>') : 'not covered yet'];
  });
  return page('Coverage of threats', 'docs/threats.md and the titles of tests', [
    '[Threats](../threats.md) explains each id. A principle is covered by the threats that are examples of it.',
    table(['Id', 'Tests'], rows),
  ]);
}
