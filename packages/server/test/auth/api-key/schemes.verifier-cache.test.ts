import { describe, expect, test } from 'vitest';
import { VerifierCache } from '../../../src/auth/api-key/schemes.ts';

const good = Buffer.of(1);
const bad = Buffer.of(0);

describe('the cache of verifiers', () => {
  test('keeps a key after its first valid signature, and prepares it again only to refuse', () => {
    const verifiers = new VerifierCache();
    let prepared = 0;
    const prepare = () => {
      prepared++;
      return (_message: Uint8Array, signature: Uint8Array) => signature[0] === 1;
    };
    const ask = (signature: Uint8Array) => verifiers.verify('key', prepare, Buffer.alloc(0), signature);
    expect([ask(bad), ask(bad), ask(good), ask(good), ask(bad)]).toEqual([false, false, true, true, false]);
    expect(prepared).toBe(4);
  });

  test('a refusal prepares the key once and checks once, whether the key is cached or not', () => {
    const verifiers = new VerifierCache();
    let work: string[] = [];
    const prepare = () => {
      work.push('prepare');
      return (_message: Uint8Array, signature: Uint8Array) => {
        work.push('check');
        return signature[0] === 1;
      };
    };
    const workOf = (signature: Uint8Array) => {
      work = [];
      verifiers.verify('key', prepare, Buffer.alloc(0), signature);
      return work.sort();
    };
    expect(workOf(bad)).toEqual(['check', 'prepare']);
    workOf(good);
    expect(workOf(good)).toEqual(['check']);
    expect(workOf(bad)).toEqual(['check', 'prepare']);
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
