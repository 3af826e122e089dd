import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import type { Json } from '../../support/caller.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** What a block of a guide finds around it. */
export interface Stage {
  /** The names that the guide says the reader's program has. */
  readonly names: Readonly<Record<string, unknown>>;
  /** The modules that stand for those of the reader, or of a browser. All others are the real ones. */
  readonly modules?: Readonly<Record<string, object>>;
  /** What the block declares and the test looks at. */
  readonly gives?: readonly string[];
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<Record<string, Json>>;

/** Runs a block as it is written, with the names of its stage around it. Gives what it declares. */
export async function runBlock(code: string, language: string, { names, modules = {}, gives = [] }: Stage) {
  const { code: script } = await transform(code, { loader: language === 'ts' ? 'ts' : 'js', format: 'esm' });
  // A function body cannot import: each import becomes an await of the same names.
  const body = script.replace(/^import \{([^}]*)\} from "([^"]+)";$/gm, 'const {$1} = await load("$2");');
  const load = async (name: string) => modules[name] ?? (await import(name));
  const block = new AsyncFunction('load', ...Object.keys(names), `${body}\nreturn { ${gives.join(', ')} };`);
  return block(load, ...Object.values(names));
}

/** Checks blocks with the compiler, each behind the declarations of its stage. Gives what the compiler says, empty where all is well. */
export async function typeCheck(blocks: readonly { readonly declarations: string; readonly code: string }[]): Promise<string> {
  // Inside of the repository, so that its packages are found, and where no other test looks for files.
  const folder = await mkdtemp(join(root, 'node_modules/.blocks-'));
  try {
    const files = blocks.map((_, index) => join(folder, `block-${index}.ts`));
    for (const [index, { declarations, code }] of blocks.entries())
      await writeFile(files[index] ?? '', `${declarations}\n${code}\nexport {};\n`);
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    return await run(join(root, 'node_modules/.bin/tsc'), [...flags, '--types', 'node', '--ignoreConfig', ...files]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
