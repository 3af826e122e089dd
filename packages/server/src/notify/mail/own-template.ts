import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from './html.ts';
import type { RenderedMail } from './rendered-mail.ts';

/** Both parts of an operator's template, before placeholders are filled. */
export interface OwnTemplate {
  readonly html: string;
  readonly text: string;
}

/** SECURITY: no dots or slashes, so that the name cannot escape the template folder. */
const TEMPLATE_ID = /^[A-Za-z0-9_-]{1,64}$/;
const PLACEHOLDER = /\{\{\s*([A-Za-z][A-Za-z0-9_]{0,63})\s*\}\}/g;
const SUBJECT = /^Subject:[ \t]*(.+)\r?\n(?:\r?\n)?/;

/** The template of that name in the operator's folder, read on every use. Undefined if there is no template or no folder. */
export function findOwnTemplate(directory: string | undefined, templateId: string): OwnTemplate | undefined {
  if (directory === undefined || !TEMPLATE_ID.test(templateId)) return undefined;
  try {
    const read = (ending: string) => readFileSync(join(directory, `${templateId}.${ending}`), 'utf8');
    return { html: read('html'), text: read('txt') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/** Parses the template variables of a request: a JSON object of strings. Undefined for anything else. */
export function readVariables(text: string | undefined): Readonly<Record<string, string>> | undefined {
  if (text === undefined || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    return entries.every(([, each]) => typeof each === 'string') ? Object.fromEntries(entries) : undefined;
  } catch {
    // Not JSON. The response to the request contains a warning.
    return undefined;
  }
}

/**
 * Fills `{{name}}` in both parts. The service's values override those of the request, which could otherwise replace the secret or the link.
 * If the text part starts with a line `Subject: …`, that line is the subject.
 * SECURITY: values are escaped in the HTML part, and placeholders inside values are not filled.
 */
export function renderOwnTemplate(
  template: OwnTemplate,
  own: Readonly<Record<string, string>>,
  variables: string | undefined,
): RenderedMail {
  const values = new Map([...Object.entries(readVariables(variables) ?? {}), ...Object.entries(own)]);
  const fill = (text: string, show: (value: string) => string) =>
    text.replace(PLACEHOLDER, (_, name: string) => show(values.get(name) ?? ''));
  const named = SUBJECT.exec(template.text);
  const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  return {
    subject: named === null ? (own.subject ?? '') : oneLine(fill(named[1] as string, (value) => value)),
    text: fill(named === null ? template.text : template.text.slice(named[0].length), (value) => value),
    html: fill(template.html, escapeHtml),
  };
}
