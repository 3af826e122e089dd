import { activities } from '@countersign/contract';

const PREFIX = 'ACTIVITY_TYPE_';

/** The module `types-of-subject.ts` of the console: all versions of all activities by subject, without the schemas that they come from. */
export function consoleTable(): string {
  const subjects = new Map<string, string[]>();
  for (const { subject, versions } of Object.values(activities)) {
    const types = subjects.get(subject) ?? [];
    subjects.set(subject, [...types, ...versions.map(({ type }) => type.slice(PREFIX.length))]);
  }
  const rows = [...subjects].map(([subject, types]) => `  '${subject}': [${types.map((type) => `'${type}'`).join(', ')}],`);
  return [
    '// biome-ignore-all format: generated from the contract by `npm run docs`',
    '',
    `/** The types of activities by subject, all versions, without \`${PREFIX}\`. */`,
    'export const typesOfSubject = {',
    ...rows,
    '} as const;',
    '',
  ].join('\n');
}
