import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import type { Node } from 'yaml';
import { ConfigError } from './config-error.ts';
import { nearest } from './nearest.ts';
import { privateFileObjection } from './private-file.ts';
import { unreadable } from './secret-file.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

/** The settings in a configuration file, by their keys. */
export interface ConfigFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, FileValue>;
}

/** A value in the format of the environment variable. */
export interface FileValue {
  readonly text: string;
  /** `countersign.yaml:3 port`. */
  readonly origin: string;
}

/** The file that is read if no other is named, and exists. */
export const DEFAULT_CONFIG_FILE = '/etc/countersign/countersign.yaml';

/** Every key of the file: the name of a setting, and the name with `File`, whose value is the path of a file with the value. */
export const fileKeys: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting>(settings).flatMap(([name, setting]) => [
    [name, setting],
    [`${name}File`, { ...setting, form: undefined, secret: undefined }],
  ]),
);

const MAX_BYTES = 1_048_576;

/** Reads a configuration file. Throws ConfigError for one that is not valid, has unknown keys, or that other users can change. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const { text, stats } = readOwn(path);
  const { LineCounter, parseDocument, isMap, isScalar, visit } = await import('./yaml.ts');
  const lines = new LineCounter();
  const at = (offset: number | undefined) => `${path}:${lines.linePos(offset ?? 0).line}`;
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw invalid(at(problem.pos[0]), `is not valid YAML (${problem.code})`);
  // SECURITY: without aliases, a short file cannot grow without bound.
  visit(document, {
    Alias(_key, { range }) {
      throw invalid(at(range?.[0]), 'must not contain aliases');
    },
  });
  const values = new Map<string, FileValue>();
  if (document.contents === null) return { path, values };
  if (!isMap(document.contents)) throw invalid(at(0), 'must be a list of settings, such as port: 8787');
  for (const { key, value } of document.contents.items) {
    const where = at(isScalar(key) ? key.range?.[0] : undefined);
    const name = isScalar(key) ? String(key.value) : '';
    const setting = fileKeys.get(name);
    if (setting === undefined) throw unknownKey(where, name);
    if (values.has(otherForm(name))) throw invalid(where, `sets ${name} and ${otherForm(name)}; keep one of them`);
    if (setting.secret) requirePrivate(where, name, path, stats);
    const given: unknown = (value as Node | null)?.toJS(document);
    values.set(name, { text: textOf(given, setting, `${where} ${name}`), origin: `${where} ${name}` });
  }
  return { path, values };
}

const otherForm = (name: string) =>
  name.endsWith('File') && fileKeys.has(name.slice(0, -4)) ? name.slice(0, -4) : `${name}File`;

/** The text of a value, as in the environment. */
function textOf(value: unknown, { form, secret }: Setting, where: string): string {
  if (form === 'json' && typeof value === 'object' && value !== null) return JSON.stringify(value);
  if (form === 'list' && Array.isArray(value)) return value.map((item) => itemOf(item, where)).join(',');
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  const shape = form === 'list' ? 'a list of texts' : form === 'json' ? 'a list or an object' : 'a text, a number, true or false';
  throw invalid(where, `must be ${shape}${secret ? '' : ` (given: ${JSON.stringify(value)})`}`);
}

function itemOf(item: unknown, where: string): string {
  const text = typeof item === 'object' ? undefined : String(item);
  if (text === undefined || text.includes(',')) throw invalid(where, 'must be a list of texts without commas');
  return text;
}

/**
 * Reads the file, and checks its owner.
 * SECURITY: D604: the file decides where keys are and who may connect. A user who can change it could take the service over.
 */
function readOwn(path: string): { readonly text: string; readonly stats: Stats } {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    if (!stats.isFile()) throw invalid(path, 'is not a file');
    if (stats.size > MAX_BYTES) throw invalid(path, `is longer than ${MAX_BYTES} bytes`);
    const self = process.geteuid?.();
    if (self !== undefined && stats.uid !== self && stats.uid !== 0)
      throw new ConfigError(`${path} belongs to another user (uid ${stats.uid}).`, `chown ${self} ${path}`);
    if (self !== undefined && (stats.mode & 0o022) !== 0)
      throw new ConfigError(`${path} can be changed by other users.`, `chmod go-w ${path}, and check its content.`);
    return { text: readFileSync(file, 'utf8'), stats };
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : unreadable('--config', path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function requirePrivate(where: string, name: string, path: string, stats: Stats): void {
  const objection = privateFileObjection(path, stats, 'change the secret');
  if (objection === undefined) return;
  throw new ConfigError(
    `${where} ${name} is a secret, and the file ${objection.problem}.`,
    `${objection.fix}. Or move the secret to a file of its own, and name it with ${name}File.`,
  );
}

function unknownKey(where: string, name: string): ConfigError {
  const known = nearest(camelCase(name), fileKeys.keys());
  return new ConfigError(`${where} ${JSON.stringify(name)} is not a setting. Did you mean ${known}?`, 'Correct or remove it.');
}

/** `data-dir`, `DATA_DIR` and `COUNTERSIGN_DATA_DIR` are `dataDir`. */
function camelCase(name: string): string {
  const words = name.replace(/^COUNTERSIGN_/i, '');
  if (!/[-_]/.test(words)) return words;
  return words.toLowerCase().replace(/[-_]+(.)/g, (_, letter: string) => letter.toUpperCase());
}

function invalid(where: string, problem: string): ConfigError {
  return new ConfigError(`${where} ${problem}.`, "Correct the file. 'countersign config check' checks it.");
}
