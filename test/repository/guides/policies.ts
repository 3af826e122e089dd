import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A policy that a guide shows, with places like `<tag of the backend>` that a reader fills in. */
export interface GuidePolicy {
  readonly name: string;
  readonly guide: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly condition: string;
  readonly consensus: string;
  readonly time: string;
}

const folder = join(import.meta.dirname, '../../../docs/guide');
const BLOCK = /^ *```policy\n([\s\S]*?)^ *```/gm;

/** Every policy in the guides that has a name. Those without one are expressions of their guide, not policies to take over. */
export function readGuidePolicies(): GuidePolicy[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .flatMap((guide) =>
      [...readFileSync(join(folder, guide), 'utf8').matchAll(BLOCK)].map(([, block = '']) => {
        // A value goes on in lines that start with two blanks more.
        const field = (name: string) =>
          (new RegExp(`^ *${name}: (.*(?:\\n(?! *[a-z]+: ) {2,}\\S.*)*)$`, 'm').exec(block)?.[1] ?? '').replace(/\s*\n\s*/g, ' ');
        const effect: GuidePolicy['effect'] = field('effect') === 'DENY' ? 'DENY' : 'ALLOW';
        return {
          guide,
          effect,
          name: field('name'),
          condition: field('condition'),
          consensus: field('consensus'),
          time: field('time'),
        };
      }),
    )
    .filter(({ name }) => name !== '');
}

/** The policy with its places filled in. */
export function fillIn({ condition, consensus }: GuidePolicy, tags: Readonly<Record<string, string>>) {
  const fill = (text: string) => text.replace(/<(tag of [^>]+)>/g, (_, place: string) => tags[place] ?? '');
  return { condition: fill(condition), consensus: fill(consensus) };
}
