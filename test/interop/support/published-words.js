import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a published package can say to a server: paths of the API, paths of the auth proxy, activity types, transaction types, and hosts. */
const patterns = {
  paths: /\/public\/v1\/(?:query|submit)\/[a-z0-9_]+/g,
  proxyPaths: /["'`]\/v1\/[a-z0-9_]+["'`]/g,
  activityTypes: /\bACTIVITY_TYPE_[A-Z0-9_]+\b/g,
  transactionTypes: /\bTRANSACTION_TYPE_[A-Z0-9_]+\b/g,
  hosts: /https:\/\/[a-z0-9-]+\.turnkey\.com/g,
};

/** The words of each kind in all code and types of a folder, without the packages that it depends on. Sorted. */
export async function wordsIn(folder) {
  const found = Object.fromEntries(Object.keys(patterns).map((kind) => [kind, new Set()]));
  for (const file of await readdir(folder, { recursive: true })) {
    if (file.includes('node_modules/') || !/\.(js|mjs|cjs|d\.ts)$/.test(file)) continue;
    const text = await readFile(join(folder, file), 'utf8');
    for (const [kind, pattern] of Object.entries(patterns))
      for (const [word] of text.matchAll(pattern)) found[kind].add(word.replaceAll(/["'`]/g, ''));
  }
  return Object.fromEntries(Object.entries(found).map(([kind, words]) => [kind, [...words].sort()]));
}

/** The words of several folders together. */
export async function wordsOfAll(folders) {
  const each = await Promise.all(folders.map(wordsIn));
  return Object.fromEntries(
    Object.keys(patterns).map((kind) => [kind, [...new Set(each.flatMap((words) => words[kind]))].sort()]),
  );
}

/** Words that match a pattern and are not what it looks for. */
export const notMeant = new Set([
  // The unknown value of each enumeration, which no client sends.
  'ACTIVITY_TYPE_UNSPECIFIED',
  'TRANSACTION_TYPE_UNSPECIFIED',
]);
