import { describe, expect, test } from 'vitest';
import {
  formatCheckpoint,
  formatShardEntry,
  formatVerifierKey,
  parseShardEntry,
  TlogError,
  verifierKeyOf,
} from '../../src/index.ts';

const key = verifierKeyOf({ name: 'shard.example/1', type: 'ed25519', seed: new Uint8Array(32).fill(7) });
const other = verifierKeyOf({ name: 'shard.example/2', type: 'ed25519', seed: new Uint8Array(32).fill(8) });
const witness = verifierKeyOf({ name: 'shard.example/1', type: 'cosignature', seed: new Uint8Array(32).fill(7) });
const text = formatCheckpoint({ origin: key.name, size: 5, root: new Uint8Array(32).fill(1), extensions: ['heads x'] });
const bytes = (source: string) => new TextEncoder().encode(source);

describe('the entry of a shard', () => {
  test('has this form, and is read again', () => {
    const entry = formatShardEntry({ shard: 3, key, text });
    expect(new TextDecoder().decode(entry)).toBe(`countersign/shard/v1\n3\n${formatVerifierKey(key)}\n${text}`);
    expect(parseShardEntry(entry)).toEqual({
      shard: 3,
      key,
      text,
      tree: { origin: key.name, size: 5, root: new Uint8Array(32).fill(1), extensions: ['heads x'] },
    });
  });

  test.each([
    ['another header', `countersign/shard/v2\n3\n${formatVerifierKey(key)}\n${text}`],
    ['a number with a zero before it', `countersign/shard/v1\n03\n${formatVerifierKey(key)}\n${text}`],
    ['a negative number', `countersign/shard/v1\n-3\n${formatVerifierKey(key)}\n${text}`],
    ['no key', `countersign/shard/v1\n3\n\n${text}`],
    ['the key of another log', `countersign/shard/v1\n3\n${formatVerifierKey(other)}\n${text}`],
    ['the key of a witness', `countersign/shard/v1\n3\n${formatVerifierKey(witness)}\n${text}`],
    ['no checkpoint', `countersign/shard/v1\n3\n${formatVerifierKey(key)}\n`],
    ['a checkpoint without its end', `countersign/shard/v1\n3\n${formatVerifierKey(key)}\n${text.slice(0, -1)}`],
    ['nothing', ''],
  ])('an entry with %s is refused', (_, source) => {
    expect(() => parseShardEntry(bytes(source))).toThrow(TlogError);
  });

  test('bytes that are not UTF-8 are refused', () => {
    const entry = formatShardEntry({ shard: 3, key, text });
    entry[2] = 0xff;
    expect(() => parseShardEntry(entry)).toThrow(TlogError);
  });
});
