import { readFileSync } from 'node:fs';

/** Licences that are compatible with distribution under Apache-2.0. */
const permitted = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

/** Whether one alternative of an SPDX expression is permitted; of `A AND B` both must be. */
function isPermitted(expression: string): boolean {
  const plain = expression.replace(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((name) => permitted.has(name.trim())));
}

const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
const shipped = installed.filter(([, { dev }]) => dev !== true);
const problems = shipped.filter(([, { license }]) => license === undefined || !isPermitted(license));
for (const [path, { license }] of problems) console.error(`${path}: ${license ?? 'no licence given'}`);
console.log(
  `${shipped.length} packages are shipped, ${installed.length - shipped.length} more are for development; ${problems.length} with a licence that is not permitted`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
