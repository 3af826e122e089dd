import { readdir, readFile } from 'node:fs/promises';
import { activityByType, activityTypes, dialects, operationPath } from '@countersign/contract';
import { caseFiles } from '../../test/features/catalogue/cases/index.ts';

/** One row of the catalogue. An empty cell is a gap. */
export interface CatalogueEntry {
  readonly type: string;
  readonly endpoint: string;
  /** The file of its executor. */
  readonly executor?: string;
  /** The file with a test that completes it, or the reason why it can never complete. */
  readonly success?: string;
  /** The file with a test that denies it. */
  readonly failure?: string;
}

/** The title of a test for a type without a catalogue case. */
const title = /(ACTIVITY_TYPE_[A-Z0-9_]+) (is executed|is refused)/g;

const executors = 'packages/server/src/activities';
const cases = 'test/features/catalogue/cases';

/** Reads the table from the contract, the executors and the tests below `root`. */
export async function readCatalogue(root: string): Promise<CatalogueEntry[]> {
  const files = await filesBelow(root, executors, '.ts');
  const titled = await readTitles(root);
  const listed = [...activityByType].filter(([type]) => activityTypes.includes(type));
  return listed.map(([type, { definition }]) => {
    const executor = voting[definition.name] ?? files.find((file) => file.endsWith(`/${kebab(definition.name)}.ts`));
    return {
      type,
      endpoint: operationPath(dialects.spec, definition),
      ...(executor && { executor }),
      ...(caseOf(type) ?? titled.get(type)),
    };
  });
}

/** The pipeline itself executes votes. */
const voting: Readonly<Record<string, string>> = {
  approveActivity: 'packages/server/src/pipeline/vote/vote.ts',
  rejectActivity: 'packages/server/src/pipeline/vote/vote.ts',
};

type Tested = Pick<CatalogueEntry, 'success' | 'failure'>;

function caseOf(type: string): Tested | undefined {
  for (const [file, table] of Object.entries(caseFiles)) {
    const found = table[type];
    if (found === undefined) continue;
    const path = `${cases}/${file}.ts`;
    return { success: found.never === undefined ? path : `never: ${found.never}`, failure: path };
  }
  return undefined;
}

async function readTitles(root: string): Promise<ReadonlyMap<string, Tested>> {
  const found = new Map<string, Tested>();
  const files = [
    ...(await filesBelow(root, 'test', '.test.ts')),
    ...(await filesBelow(root, 'packages/server/test', '.test.ts')),
  ];
  for (const file of files) {
    for (const [, type, what] of (await readFile(`${root}/${file}`, 'utf8')).matchAll(title)) {
      if (type === undefined) continue;
      found.set(type, { ...found.get(type), ...(what === 'is refused' ? { failure: file } : { success: file }) });
    }
  }
  return found;
}

async function filesBelow(root: string, folder: string, ending: string): Promise<string[]> {
  const names = await readdir(`${root}/${folder}`, { recursive: true });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .sort();
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
