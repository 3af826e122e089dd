import type { Json } from '../support/caller.ts';
import type { Inbox } from './smtp-inbox.ts';

/** The code in a mail: on a line of its own. */
export function codeIn(text: string): string {
  const found = /^[0-9A-Z]{6,9}$/m.exec(text)?.[0];
  if (found === undefined) throw new Error(`there is no code in ${JSON.stringify(text)}`);
  return found;
}

/** The code of the newest of `count` mails to an address. */
export async function newestCode(inbox: Inbox, address: string, count = 1): Promise<string> {
  return codeIn((await inbox.to(address, count)).at(-1)?.text ?? '');
}

/** Another code of the same form. */
export function wrong(code: string): string {
  return `${code.slice(0, -1)}${code.endsWith('2') ? '3' : '2'}`;
}

/** What a token says, without looking at its signature. */
export function claimsOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
