import type { Step } from './story.ts';

/** A walk through the console: what people did, and how long each step took. */
export interface Walk {
  readonly step: Step;
  /** One line for each step, for the output of a test. */
  lines(): string;
  /** The page of the guides. */
  markdown(): string;
}

export function createWalk(): Walk {
  const steps: { readonly what: string; readonly ms: number }[] = [];
  const total = () => steps.reduce((sum, { ms }) => sum + ms, 0);
  return {
    async step(what, run) {
      const begin = performance.now();
      const result = await run();
      steps.push({ what, ms: performance.now() - begin });
      return result;
    },
    lines: () => steps.map(({ what, ms }) => `${String(Math.round(ms)).padStart(6)} ms  ${what}`).join('\n'),
    markdown: () => `${[...head, ...steps.map(row), `| **Together** | ${seconds(total())} |`, ...foot].join('\n')}\n`,
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const row = ({ what, ms }: { what: string; ms: number }) => `| ${what} | ${seconds(ms)} |`;

const head = [
  '# A walk through the console',
  '',
  '<!-- Written by `npm run console:screenshots`. Run it again instead of changing this page. -->',
  '',
  'Two people found a treasury and pay an invoice of 25,000 USDC: from the first start of the service to a payment that arrived, whose',
  'entry in the log is proven. The chain is a node of Ethereum on the same machine, which makes a block at once. Ann sits at a desk, Bob has a phone. A program presses the keys in real Chromium against the real',
  'service, with a passkey device of its own for each of them, so the times are those of the console and the service. People take longer.',
  '',
  '| Step | Time |',
  '|---|---|',
];

const foot = [
  '',
  '![What Bob sees before he approves](images/console-approval-phone-light.webp)',
  '',
  'The steps are those of `npm run console:test`, which also runs them on a phone alone and on PostgreSQL. How to do them yourself: [Approve payments in the console](guide/console.md).',
];
