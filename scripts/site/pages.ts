import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Files outside of `docs` that are pages too. */
const others: Readonly<Record<string, string>> = {
  'SECURITY.md': 'security.html',
  'CHANGELOG.md': 'changelog.html',
  'CONTRIBUTING.md': 'contributing.html',
};

/** Every page: its source file, relative to the repository, and its path on the site. */
export function sitePages(): ReadonlyMap<string, string> {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md'))
    .sort();
  const below = files.map((file) => [`docs/${file}`, pathOf(file)] as const);
  return new Map([...below, ...Object.entries(others)]);
}

const pathOf = (file: string) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');

/** A link between pages as used on the site; undefined if its target is not a page. */
export function siteLink(pages: ReadonlyMap<string, string>, from: string, href: string): string | undefined {
  const [path = '', heading] = href.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  const page = pages.get(target) ?? pages.get(posix.join(target, 'README.md'));
  if (page === undefined) return undefined;
  return relativeLink(pages.get(from) ?? '', page) + (heading === undefined ? '' : `#${heading}`);
}

/** A relative path between two pages, so that the site works under any prefix. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}
