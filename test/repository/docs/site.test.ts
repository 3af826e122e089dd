import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderSite, siteFonts, sitePictures } from '../../../scripts/site/build.ts';
import { navigation } from '../../../scripts/site/navigation.ts';
import { siteLink, sitePages } from '../../../scripts/site/pages.ts';
import { renderMarkdown } from '../../../scripts/site/render-markdown.ts';

const root = join(import.meta.dirname, '../../..');
const site = renderSite();
const pictures = new Map([...sitePictures(), ...siteFonts()]);
const pages = [...site].filter(([path]) => path.endsWith('.html'));

describe('the documents as a site', () => {
  test('every link leads to a page, and to a place in it', () => {
    const dead: string[] = [];
    let count = 0;
    for (const [path, html] of pages) {
      for (const [, href = ''] of html.matchAll(/(?:href|src|data-index)="([^"]*)"/g)) {
        if (/^(https?|mailto|data):/.test(href)) continue;
        count += 1;
        const [target = '', anchor] = href.split('#');
        const file = target === '' ? path : posix.join(posix.dirname(path), target);
        const content = site.get(file) ?? pictures.get(file)?.toString('latin1');
        if (content === undefined) dead.push(`${path} → ${href}`);
        else if (anchor !== undefined && !content.includes(`id="${anchor}"`)) dead.push(`${path} → ${href}: no such heading`);
      }
    }
    expect(dead).toEqual([]);
    expect(count).toBeGreaterThan(5000);
  });

  test('a link to a file that is no page leads to a file of the repository', () => {
    const places = sitePages();
    const missing: string[] = [];
    for (const file of places.keys()) {
      renderMarkdown(readFileSync(join(root, file), 'utf8'), (href) => {
        const found = siteLink(places, file, href);
        const target = posix.join(posix.dirname(file), href.split('#')[0] ?? '');
        if (found === undefined && !existsSync(join(root, target))) missing.push(`${file} → ${href}`);
        return found;
      });
    }
    expect(missing).toEqual([]);
  });

  test('nothing comes from another origin, and nothing is inline: the policy of the service forbids both', () => {
    for (const [path, html] of pages) {
      expect(html, path).not.toMatch(/<(script|link|img|iframe)[^>]*(src|href)="(https?:)?\/\//);
      expect(html, path).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|\son[a-z]+="/);
    }
    for (const [path, content] of site)
      if (/\.(css|js)$/.test(path)) expect(content, path).not.toMatch(/url\((?!"[\w-]+\.woff2"\))|https?:\/\/|innerHTML/);
  });

  test('the margin names pages that are there, and every guide', () => {
    const files = navigation.flatMap((group) => group.files);
    const places = sitePages();
    expect(files.filter((file) => !places.has(file))).toEqual([]);
    const guides = [...places.keys()].filter((file) => file.startsWith('docs/guide/'));
    expect(guides.filter((guide) => !files.includes(guide))).toEqual([]);
  });

  test('the search finds every operation', () => {
    const [, index = '[]'] = [...site].find(([path]) => path.startsWith('assets/search')) ?? [];
    const titles = new Set((JSON.parse(index) as string[][]).map(([, title]) => title));
    for (const name of ['signTransaction', 'createWallet', 'listUsers', 'A treasury with two approvers'])
      expect(titles).toContain(name);
  });

  test('files with a name for their content may be kept for ever', () => {
    for (const path of site.keys())
      if (!path.endsWith('.html')) expect(path).toMatch(/^assets\/\w+-[0-9a-f]{12}\.(css|js|json)$/);
  });
});
