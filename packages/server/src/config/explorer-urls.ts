import { JsonError, readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { chainNamespace } from './chain-endpoints.ts';

/** Pages about transactions, by CAIP-2 name: URLs with `{hash}`. */
export type ExplorerUrls = Readonly<Record<string, string>>;

const EXAMPLE = '{"eip155:1":"https://explorer.example.com/tx/{hash}"}';
const PLACE = '{hash}';

/** The setting: a JSON object from chains to URLs. An empty text or object names none. */
export const explorerUrls = z.string().transform((text, context): ExplorerUrls => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (text.trim() === '') return {};
  const given = z.record(z.string(), z.string()).safeParse(parse(text));
  if (!given.success) return refuse(`must be a JSON object from chains to URLs such as ${EXAMPLE}`);
  for (const [chain, url] of Object.entries(given.data)) {
    if (chainNamespace(chain) === undefined) return refuse(`names a chain that is not known: ${JSON.stringify(chain)}`);
    const problem = problemOf(url);
    if (problem !== undefined) return refuse(`is wrong at ${chain}: ${problem}`);
  }
  return given.data;
});

function parse(text: string): unknown {
  try {
    return readStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Rejected like everything that is not an object.
    return undefined;
  }
}

/** SECURITY: D980: pages of the console link to these URLs. */
function problemOf(template: string): string | undefined {
  if (template.split(PLACE).length !== 2) return `must contain ${PLACE} once`;
  const url = template.replace(PLACE, 'hash');
  if (!URL.canParse(url)) return 'must be a URL';
  const { protocol, username, password, origin } = new URL(url);
  if (protocol !== 'https:') return 'must begin with https://';
  if (username !== '' || password !== '') return 'must not have a user or a password';
  // A hash in the name of the host would choose whose page is opened.
  return new URL(template.replace(PLACE, 'other')).origin === origin ? undefined : `must have ${PLACE} after the host`;
}
