import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Person } from './person.ts';

const axe = readFileSync(
  createRequire(new URL('../../../packages/console/package.json', import.meta.url)).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What axe finds that keeps somebody from using the page. */
export const seriousFaults = (person: Person): Promise<string[]> => faultsOf(person, ['serious', 'critical']);

/** The same, with what makes the page harder to use. */
export const moderateFaults = (person: Person): Promise<string[]> => faultsOf(person, ['moderate', 'serious', 'critical']);

async function faultsOf({ page }: Person, impacts: readonly string[]): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
  const counted = violations.filter(({ impact }) => impacts.includes(impact));
  return counted.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}
