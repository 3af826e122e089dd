import { readdir, readFile } from 'node:fs/promises';
import { activityByType, activityTypes } from '@countersign/contract';
import { caseFiles } from '../../test/catalogue/cases/index.ts';

/** What is known of one activity type. An absent cell is something to do. */
export interface CatalogueEntry {
  readonly type: string;
  readonly endpoint: string;
  /** The file that carries it out. */
  readonly executor?: string;
  /** The file whose test shows it carried out, or why it never is. */
  readonly success?: string;
  /** The file whose test shows it refused. */
  readonly failure?: string;
  /** The capability that an absent cell comes with. */
  readonly comesWith?: string;
}

/** What a family belongs to that is a capability of its own. */
const capabilities: readonly (readonly [RegExp, string])[] = [
  [
    /^(OAUTH|EMAIL_AUTH|INIT_OTP_AUTH|OTP_AUTH|INIT_USER_EMAIL_RECOVERY|RECOVER_USER|CREATE_READ_(ONLY|WRITE)_SESSION)$/,
    'sign-in',
  ],
  [/^(INIT_)?(IMPORT|EXPORT)_/, 'import and export'],
];

/** A test that is titled so says what it shows of a type that has no case of its own. */
const title = /(ACTIVITY_TYPE_[A-Z0-9_]+) (is carried out|is refused)/g;

const executors = 'packages/server/src/activities';
const cases = 'test/catalogue/cases';

/** Gathers the table from the contract, the executors' files and the tests below `root`. */
export async function readCatalogue(root: string): Promise<CatalogueEntry[]> {
  const files = await filesBelow(root, executors, '.ts');
  const titled = await readTitles(root);
  return activityTypes.map((type) => {
    const name = activityByType.get(type)?.definition.name;
    const executor = name && (voting[name] ?? files.find((file) => file.endsWith(`/${kebab(name)}.ts`)));
    const tested = caseOf(type) ?? titled.get(type);
    const comesWith = capabilities.find(([families]) => families.test(familyOf(type)))?.[1];
    return {
      type,
      endpoint: `/public/v1/submit/${familyOf(type).toLowerCase()}`,
      ...(executor && { executor }),
      ...tested,
      ...(comesWith && { comesWith }),
    };
  });
}

/** Votes are carried out by the pipeline itself. */
const voting: Readonly<Record<string, string>> = {
  approveActivity: 'packages/server/src/pipeline/vote.ts',
  rejectActivity: 'packages/server/src/pipeline/vote.ts',
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

/** The type without prefix and version. In lower case it is the path, for every operation. */
const familyOf = (type: string) => type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '');
