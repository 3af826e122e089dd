import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A policy that a guide shows, with places like `<tag of the backend>` that a reader fills in. */
export interface GuidePolicy {
  readonly name: string;
  readonly guide: string;
  readonly condition: string;
  readonly consensus: string;
}

const folder = join(import.meta.dirname, '../../docs/guide');
const BLOCK = /^ *```policy\n([\s\S]*?)^ *```/gm;

/** Every policy in the guides that has a name. Those without one are expressions of their guide, not policies to take over. */
export function readGuidePolicies(): GuidePolicy[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .flatMap((guide) =>
      [...readFileSync(join(folder, guide), 'utf8').matchAll(BLOCK)].map(([, block = '']) => {
        const field = (name: string) => new RegExp(`^ *${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        return { guide, name: field('name'), condition: field('condition'), consensus: field('consensus') };
      }),
    )
    .filter(({ name }) => name !== '');
}

/** The policy with its places filled in. */
export function fillIn({ condition, consensus }: GuidePolicy, tags: Readonly<Record<string, string>>) {
  const fill = (text: string) => text.replace(/<(tag of [^>]+)>/g, (_, place: string) => tags[place] ?? '');
  return { condition: fill(condition), consensus: fill(consensus) };
}
