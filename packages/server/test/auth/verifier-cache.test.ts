import { describe, expect, test } from 'vitest';
import { VerifierCache } from '../../src/auth/verifier-cache.ts';

const good = Buffer.of(1);
const bad = Buffer.of(0);

describe('the cache of verifiers', () => {
  test('prepares a key once, after its first valid signature', () => {
    const verifiers = new VerifierCache();
    let prepared = 0;
    const prepare = () => {
      prepared++;
      return (_message: Uint8Array, signature: Uint8Array) => signature[0] === 1;
    };
    const ask = (signature: Uint8Array) => verifiers.verify('key', prepare, Buffer.alloc(0), signature);
    expect([ask(bad), ask(bad), ask(good), ask(good), ask(bad)]).toEqual([false, false, true, true, false]);
    expect(prepared).toBe(3);
  });

  test('invalid signatures evict nothing', () => {
    const verifiers = new VerifierCache(2);
    verifiers.verify('hot', () => () => true, good, good);
    for (let index = 0; index < 1_000; index++) verifiers.verify(`made up ${index}`, () => () => false, good, bad);
    expect(verifiers.size).toBe(1);
    const mustNotPrepare = () => {
      throw new Error('the verifier was not held');
    };
    expect(verifiers.verify('hot', mustNotPrepare, good, good)).toBe(true);
  });

  test('holds no more than its capacity, and evicts the least recently used', () => {
    const verifiers = new VerifierCache(2);
    const ask = (id: string) => {
      let isFresh = false;
      const prepare = () => {
        isFresh = true;
        return () => true;
      };
      verifiers.verify(id, prepare, good, good);
      return isFresh;
    };
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual([true, true, false, true, false, true]);
    expect(verifiers.size).toBe(2);
  });
});
