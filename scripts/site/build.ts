import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { layOut } from './layout.ts';
import { siteLink, sitePages } from './pages.ts';
import { renderMarkdown } from './render-markdown.ts';
import { searchIndex } from './search-index.ts';

const root = join(import.meta.dirname, '../..');
const look = join(root, 'packages/console/src/look');
/** Less than this is not worth compressing. */
const WORTH_COMPRESSING = 1024;

/** Every file of the site by its path. The same documents give the same bytes. */
export function renderSite(): ReadonlyMap<string, string> {
  const pages = sitePages();
  const rendered = [...pages].map(([file, path]) => {
    const source = readFileSync(join(root, file), 'utf8');
    return { file, path, page: renderMarkdown(source, (href) => siteLink(pages, file, href)) };
  });
  const asset = (name: string, content: string): [path: string, content: string] => [hashedName(name, content), content];
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');
  const readLook = (name: string) => readFileSync(join(look, name), 'utf8');
  const fonts = siteFonts();
  const sheets = [readLook('tokens.css'), readLook('font-latin.css'), readLook('font-more.css'), read('site.css')].join('\n');
  // In the same folder as the style sheet.
  const style = asset(
    'site.css',
    sheets.replace(/\.\/fonts\/([\w-]+\.woff2)/g, (_, name: string) => nameOf(fonts, name)),
  );
  const script = asset('site.js', read('site.js'));
  const index = asset('search.json', searchIndex(rendered));
  const titles = new Map(rendered.map(({ file, page }) => [file, page.title]));
  const layout = {
    pages,
    titles,
    style: style[0],
    script: script[0],
    index: index[0],
    font: `assets/${nameOf(fonts, 'inter-latin.woff2')}`,
  };
  return new Map([style, script, index, ...rendered.map(({ file, path, page }) => [path, layOut(file, page, layout)] as const)]);
}

/** The path of a file whose name has a hash of its content. */
function hashedName(name: string, content: string | Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return `assets/${name.replace('.', `-${hash}.`)}`;
}

/** The name of a font file in the site. */
function nameOf(fonts: ReadonlyMap<string, Buffer>, name: string): string {
  const start = `assets/${name.replace('.woff2', '-')}`;
  const found = [...fonts.keys()].find(
    (path) => path.startsWith(start) && /^[0-9a-f]{12}\.woff2$/.test(path.slice(start.length)),
  );
  if (found === undefined) throw new Error(`there is no font file ${name}`);
  return found.slice('assets/'.length);
}

/** The files of the font and its license, by their path. */
export function siteFonts(): ReadonlyMap<string, Buffer> {
  const folder = join(look, 'fonts');
  return new Map(
    readdirSync(folder).map((name) => {
      const content = readFileSync(join(folder, name));
      return [name.endsWith('.woff2') ? hashedName(name, content) : 'assets/font-license.txt', content];
    }),
  );
}

/** The pictures of the site by their path. */
export function sitePictures(): ReadonlyMap<string, Buffer> {
  const folder = join(root, 'docs/images');
  return new Map(readdirSync(folder).map((name) => [`images/${name}`, readFileSync(join(folder, name))]));
}

/** Writes the site and compressed copies of its files into a folder. Returns the number of files and bytes. */
export async function writeSite(
  folder: string,
): Promise<{ readonly files: number; readonly bytes: number; readonly compressed: number }> {
  const site = new Map<string, string | Buffer>([...renderSite(), ...siteFonts(), ...sitePictures()]);
  await rm(folder, { recursive: true, force: true });
  let bytes = 0;
  let compressed = 0;
  for (const [path, content] of site) {
    const target = join(folder, path);
    const plain = typeof content === 'string' ? Buffer.from(content) : content;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, plain);
    bytes += plain.length;
    if (plain.length < WORTH_COMPRESSING || typeof content !== 'string') continue;
    const small = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    await writeFile(`${target}.br`, small);
    compressed += small.length;
  }
  return { files: site.size, bytes, compressed };
}
