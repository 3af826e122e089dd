import MarkdownIt, { type Token } from 'markdown-it';
import { withTabs } from './tabs.ts';

/** A part of a page, for the table of contents and the search. */
export interface Section {
  readonly level: number;
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** The anchor of a heading, as code hosts make it. */
export function headingId(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** A page of Markdown. `linkTo` returns the address of a link on the site, or undefined if its target is not a page. */
export function renderMarkdown(source: string, linkTo: (href: string) => string | undefined): RenderedPage {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  // A table can be wider than a phone, so it scrolls separately.
  rules.table_open = () => '<div class="scroll"><table>\n';
  rules.table_close = () => '</table></div>\n';
  const tokens = markdown.parse(source.replaceAll(/<!--[\s\S]*?-->\n*/g, ''), {});
  const sections: Section[] = [];
  const taken = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1]);
      const id = unique(headingId(title), taken);
      token.attrSet('id', id);
      sections.push({ level: Number(token.tag.slice(1)), id, title, text: '' });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      addText(sections, plainText(token));
    } else if (token.type === 'fence') {
      // The first word is the language. The others are for tests.
      token.info = token.info.split(' ')[0] ?? '';
    }
    // SECURITY: the policy of the site allows no style within a page.
    if (token.attrGet('style') !== null) token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
    for (const child of token.children ?? []) if (child.type === 'link_open') redirect(child, linkTo);
  }
  const html = markdown.renderer.render(withTabs(tokens), markdown.options, {});
  return { title: sections[0]?.title ?? '', html, sections };
}

function redirect(link: Token, linkTo: (href: string) => string | undefined): void {
  const href = String(link.attrGet('href') ?? '');
  if (/^[a-z]+:/.test(href)) {
    link.attrSet('rel', 'noreferrer');
    return;
  }
  const target = linkTo(href);
  // The target is a file of the repository, not a page: keep the text without a link.
  if (target === undefined) link.attrs = [['class', 'file']];
  else link.attrSet('href', target);
}

function addText(sections: Section[], text: string): void {
  const last = sections.pop();
  if (last !== undefined) sections.push({ ...last, text: `${last.text} ${text}`.trim() });
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content))
    .join('');
}

function unique(id: string, taken: Set<string>): string {
  let name = id;
  for (let count = 1; taken.has(name); count += 1) name = `${id}-${count}`;
  taken.add(name);
  return name;
}
