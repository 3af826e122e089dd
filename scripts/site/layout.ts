import { navigation } from './navigation.ts';
import { relativeLink } from './pages.ts';
import type { RenderedPage } from './render-markdown.ts';
import { escapeHtml } from './tabs.ts';

export interface Layout {
  /** Where each page is, by file. */
  readonly pages: ReadonlyMap<string, string>;
  readonly titles: ReadonlyMap<string, string>;
  readonly style: string;
  /** The font file that every page needs. */
  readonly font: string;
  readonly script: string;
  readonly index: string;
}

/** The whole page around its content. It loads nothing from anywhere else, and every address is relative. */
export function layOut(file: string, { title, html, sections }: RenderedPage, layout: Layout): string {
  const place = layout.pages.get(file) ?? '';
  const to = (target: string) => relativeLink(place, target);
  const link = (target: string) => {
    const here = target === file ? ' aria-current="page"' : '';
    return `<li><a href="${to(layout.pages.get(target) ?? '')}"${here}>${escapeHtml(layout.titles.get(target) ?? target)}</a></li>`;
  };
  const groups = navigation.map(({ title: name, files }) => `<h2>${escapeHtml(name)}</h2><ul>${files.map(link).join('')}</ul>`);
  const parts = sections.filter(({ level }) => level === 2);
  const contents = parts.map(({ id, title: name }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Countersign</title>
<link rel="icon" href="data:,">
<link rel="preload" href="${to(layout.font)}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${to(layout.style)}">
<script type="module" src="${to(layout.script)}" data-index="${to(layout.index)}" data-root="${to('index.html').replace(/index\.html$/, '')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${to('index.html')}">Countersign</a>
<label class="menu" for="menu">Menu</label>
<div class="search"><input type="search" id="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results"><ol id="results" role="listbox" hidden></ol></div>
</header>
<div class="columns">
<input type="checkbox" id="menu" class="menu-state" aria-hidden="true" tabindex="-1">
<nav aria-label="Pages">${groups.join('')}</nav>
<main id="content">
${html}
</main>
<aside aria-label="On this page">${parts.length > 1 ? `<h2>On this page</h2><ul>${contents}</ul>` : ''}</aside>
</div>
</body>
</html>
`;
}
