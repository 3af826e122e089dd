import type { IncomingMessage } from 'node:http';
import { acceptedCoding } from './content-coding.ts';
import type { AnswerPage, Page } from './page.ts';
import type { StaticFile, StaticFiles } from './static-files.ts';

export interface StaticSite {
  /** Where the site begins, without a slash at the end: `/console`. */
  readonly path: string;
  /** The files; undefined if they were not built. */
  readonly files: Promise<StaticFiles | undefined>;
  /** Headers of each response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of some files, in addition to or instead of those of each response. */
  headersOf?(name: string): Readonly<Record<string, string>> | undefined;
  /** Files that are not in the folder. Undefined for other names. */
  beside?(name: string): AnswerPage | undefined;
  /** What to do if the files are absent, as a sentence. */
  readonly absent: string;
  /** Why a request does not get the site, as a sentence; undefined if it does. Throws if there are too many requests. */
  refuse?(request: IncomingMessage): string | undefined;
}

const FOREVER = 'public, max-age=31536000, immutable';
/** The browser caches it, and revalidates it each time. */
const ASK_EACH_TIME = 'no-cache';

/**
 * Serves a built folder from memory, by exact path. A folder responds with its `index.html`. Other paths do not exist: the pages of a
 * single-page site differ in the fragment of the address, which browsers do not send.
 */
export function createStaticSite(site: StaticSite): (path: string) => AnswerPage | undefined {
  const { path: root, headers } = site;
  return (path) => {
    if (path !== root && !path.startsWith(`${root}/`)) return undefined;
    return async (request) => {
      const refusal = site.refuse?.(request);
      if (refusal !== undefined) return notFound(refusal, headers);
      const files = await site.files;
      if (files === undefined) return notFound(site.absent, headers);
      const name = path.slice(root.length + 1);
      const beside = site.beside?.(name);
      if (beside !== undefined) return beside(request);
      const isFolder = name === '' || name.endsWith('/');
      const file = files.get(isFolder ? `${name}index.html` : name);
      if (file !== undefined && path !== root) return fileAnswer(file, request, { ...headers, ...site.headersOf?.(name) });
      if (path === root || files.has(`${name}/index.html`)) return movedTo(`${path.slice(path.lastIndexOf('/') + 1)}/`, headers);
      return notFound('File not found.', headers);
    };
  };
}

/** A file in the coding that the client prefers. */
export async function fileAnswer(
  file: StaticFile,
  { headers: asked }: Pick<IncomingMessage, 'headers'>,
  headers: StaticSite['headers'],
): Promise<Page> {
  const { contentType, isImmutable } = file;
  const coding = acceptedCoding(asked['accept-encoding']);
  const compressed = coding === undefined ? undefined : await file.compressed?.(coding);
  // RFC 9110 section 8.8.3.3: each coding has its own strong tag.
  const etag = `"${file.tag}${compressed === undefined ? '' : `-${coding}`}"`;
  const shared = {
    ...headers,
    'Cache-Control': isImmutable ? FOREVER : ASK_EACH_TIME,
    ETag: etag,
    ...(file.compressed !== undefined && { Vary: 'Accept-Encoding, Origin' }),
  };
  if (isKnown(asked['if-none-match'], etag)) return { status: 304, contentType, body: '', headers: shared };
  return {
    status: 200,
    contentType,
    body: compressed ?? file.body,
    headers: { ...shared, ...(compressed !== undefined && { 'Content-Encoding': coding as string }) },
  };
}

/** The address is relative, so that it also works behind a proxy that adds a path. */
function movedTo(location: string, headers: StaticSite['headers']): Page {
  return {
    status: 308,
    contentType: 'text/plain; charset=utf-8',
    body: `This page is at ${location}\n`,
    headers: { ...headers, Location: location },
  };
}

function notFound(sentence: string, headers: StaticSite['headers']): Page {
  return { status: 404, contentType: 'text/plain; charset=utf-8', body: `${sentence}\n`, headers };
}

/** RFC 9110 section 13.1.2: tags are compared weakly, and `*` matches any tag. */
export function isKnown(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  if (condition.trim() === '*') return true;
  return condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
