import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@countersign/client';
import type { PastRangeShape } from '@countersign/contract';
import { CliError } from '../errors.ts';
import { jsonText } from '../terminal.ts';
import { toHistoryCases } from './history-cases.ts';
import { readPastRequests } from './past-requests.ts';

export interface WrittenHistory {
  readonly files: readonly string[];
  readonly cases: number;
  /** Number of activities without a case. */
  readonly left: number;
}

/** Writes past activities as case files into a folder. Does not change existing files. */
export async function writeHistory(
  client: Pick<Client, 'listPastRequests'>,
  folder: string,
  request: { readonly activityIds?: readonly string[]; readonly range: PastRangeShape },
  onProgress: (read: number, total: number) => void,
): Promise<WrittenHistory> {
  const { requests, unknown } = await readPastRequests(client, request, onProgress);
  const { files, left } = toHistoryCases(requests);
  if (files.length === 0)
    throw new CliError(
      'None of these activities can become a case.',
      'Select others with --activity, --since, --last, --type or --user.',
    );
  mkdirSync(folder, { recursive: true });
  const paths = files.map((_, index) => join(folder, `history-${index + 1}.cases.json`));
  const taken = paths.find((path) => existsSync(path));
  if (taken !== undefined) throw new CliError(`${taken} already exists.`, 'Choose another folder, or remove the file.');
  for (const [index, file] of files.entries()) writeFileSync(paths[index] as string, `${jsonText(file)}\n`, { flag: 'wx' });
  const cases = files.reduce((sum, file) => sum + file.cases.length, 0);
  return { files: paths, cases, left: left.length + unknown.reduce((sum, { count }) => sum + count, 0) };
}
