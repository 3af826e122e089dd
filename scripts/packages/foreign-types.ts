import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '@countersign/contract';

const run = promisify(execFile);

/** A target language of type generation, and the tool that checks the result. Undefined if the machine lacks the tool. */
interface ForeignLanguage {
  readonly name: string;
  readonly file: string;
  readonly flags: readonly string[];
  /** The program to check with, and its arguments. It runs in the folder of the file. */
  readonly check: readonly [string, ...string[]];
  readonly besides?: Readonly<Record<string, string>>;
}

export const foreignLanguages: readonly ForeignLanguage[] = [
  {
    name: 'Go',
    file: 'countersign.go',
    flags: ['--lang', 'go', '--package', 'countersign', '--just-types-and-package'],
    check: ['go', 'vet', './...'],
    besides: { 'go.mod': 'module example.com/countersign\n\ngo 1.19\n' },
  },
  {
    name: 'Python',
    file: 'countersign.py',
    flags: ['--lang', 'python', '--python-version', '3.7'],
    check: ['python3', '-m', 'py_compile', 'countersign.py'],
  },
];

/**
 * Generates types of every shape of the OpenAPI document with quicktype and compiles them. Returns the errors, or undefined if the machine
 * lacks the language.
 */
export async function checkForeignTypes(
  quicktype: string,
  folder: string,
  language: ForeignLanguage,
): Promise<string[] | undefined> {
  const [program, ...argv] = language.check;
  const isMissing = await run(program, ['--version']).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  if (isMissing) return undefined;
  const output = join(folder, language.name.toLowerCase(), language.file);
  await mkdir(dirname(output), { recursive: true });
  const schema = join(folder, 'shapes.schema.json');
  await writeFile(schema, JSON.stringify(shapesSchema()));
  for (const [name, content] of Object.entries(language.besides ?? {})) await writeFile(join(dirname(output), name), content);
  try {
    const options = { cwd: dirname(output), maxBuffer: 64 * 1024 * 1024 };
    await run(quicktype, ['--src-lang', 'schema', ...language.flags, '--out', output, schema], options);
    await run(program, argv, options);
    return [];
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ''}${stderr ?? String(error)}`.trim().split('\n').slice(0, 20);
  }
}

/** One JSON Schema that names every shape of the document. OpenAPI and JSON Schema have different keywords for them. */
function shapesSchema(): object {
  const { components } = openApiDocument({ version: '0.0.0' }) as { components: { schemas: Record<string, unknown> } };
  const text = JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const definitions = JSON.parse(text) as Record<string, unknown>;
  const properties = Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/definitions/${name}` }]));
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Shapes', type: 'object', properties, definitions };
}
