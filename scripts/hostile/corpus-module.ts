import { readFileSync } from 'node:fs';
import { hostileSignatures } from '../../packages/chains/test/hostile/hostile-signatures.ts';

const folder = new URL('../../conformance/policies/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

/** The text of `conformance/policies/hostile-signatures.json`, with bytes that independent libraries write. */
export function signaturesFile(): string {
  const note =
    'Hostile requests for signatures. ox, protobufjs, bitcoinjs-lib and the packages of @solana/kit wrote the bytes. Placeholders are described in README.md.';
  return `${JSON.stringify({ note, requests: hostileSignatures }, undefined, 2)}\n`;
}

/** The module of the judgement package with all harms and requests, because packages do not contain conformance files. */
export function corpusModule(): string {
  const lines = (items: readonly object[]) => items.map((item) => `  ${JSON.stringify(item)},`);
  const { harms } = read('harms.json');
  const requests = [...hostileSignatures, ...read('hostile-administration.json').requests];
  return [
    '// biome-ignore-all format: generated from conformance/policies by `npm run hostile`',
    '// biome-ignore-all lint: generated',
    "import type { Harm, HostileRequest } from './hostile-request.ts';",
    '',
    '/** What hostile requests do, the worst first. */',
    'export const harms: readonly Harm[] = [',
    ...lines(harms),
    '];',
    '',
    '/** Requests that a careful policy does not allow. */',
    'export const hostileRequests: readonly HostileRequest[] = [',
    ...lines(requests),
    '];',
    '',
  ].join('\n');
}
