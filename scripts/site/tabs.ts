import type { Token } from 'markdown-it';

/** The heading above the forms of a call. Each form has its own subheading. */
const TABBED = 'Call it';

/** Renders the forms of a call as tabs with radio buttons, without a script. */
export function withTabs(tokens: readonly Token[]): Token[] {
  const start = tokens.findIndex((token, index) => token.tag === 'h2' && tokens[index + 1]?.content === TABBED);
  if (start === -1) return [...tokens];
  const body = start + 3;
  const html = htmlMaker(tokens[start] as Token);
  const after = tokens.findIndex((token, index) => index >= body && token.type === 'heading_open' && token.tag === 'h2');
  const end = after === -1 ? tokens.length : after;
  const forms: { readonly title: string; readonly tokens: Token[] }[] = [];
  for (let index = body; index < end; index += 1) {
    const token = tokens[index] as Token;
    if (token.type === 'heading_open' && token.tag === 'h3') {
      forms.push({ title: tokens[index + 1]?.content ?? '', tokens: [] });
      index += 2;
    } else {
      forms.at(-1)?.tokens.push(token);
    }
  }
  const buttons = forms.map(
    ({ title }, index) =>
      `<input type="radio" name="form" id="form-${index}"${index === 1 ? ' checked' : ''}><label for="form-${index}">${escapeHtml(title)}</label>`,
  );
  return [
    ...tokens.slice(0, body),
    html(`<div class="tabs">${buttons.join('')}<div class="panels">`),
    ...forms.flatMap((form) => [html('<div class="panel">'), ...form.tokens, html('</div>')]),
    html('</div></div>'),
    ...tokens.slice(end),
  ];
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The library has no constructor of tokens to import, but every token knows its own. */
function htmlMaker(like: Token): (content: string) => Token {
  const Made = like.constructor as new (type: string, tag: string, nesting: number) => Token;
  return (content) => Object.assign(new Made('html_block', '', 0), { content: `${content}\n` });
}
