import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { p256 as noble } from '@noble/curves/nist.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addon, edgesOf } from './addon.ts';

const { Fp, Fn, BASE } = noble.Point;
const prime = Fp.ORDER;
const radix = Fp.create(1n << 256n);
const words = (value: bigint) => value.toString(16).padStart(64, '0').replace(/.{16}/g, '$& ');
const random = () => BigInt(`0x${randomBytes(32).toString('hex')}`) % prime;

/** Elements whose words are all zeros, all ones or nearly so, where carries go furthest. */
function fullAndEmpty(): bigint[] {
  const choices = [0n, 1n, 0xffffffffn, 0xffffffff00000000n, 0xfffffffffffffffen, 0xffffffffffffffffn];
  const all = choices.flatMap((a) => choices.flatMap((b) => choices.map((c) => (a << 128n) | (b << 64n) | c)));
  return all.flatMap((low) => choices.map((top) => (top << 192n) | low)).filter((each) => each < prime);
}

// Where there was a compiler for the addon, there is one for this program.
describe.skipIf(addon === undefined)('the field of P-256', () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-p256-'));
  const program = join(directory, 'field');
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  beforeAll(() => {
    const [source, headers] = ['p256-program.c', '../addon'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
    const compiler = process.env.CC ?? 'cc';
    const { status, stderr } = spawnSync(compiler, ['-std=c11', '-O3', `-I${headers}`, `${source}`, '-o', program]);
    expect(status, String(stderr)).toBe(0);
  });

  function run(mode: 'field' | 'sums', numbers: readonly bigint[]): string[] {
    const { status, stdout } = spawnSync(program, [mode], {
      input: numbers.map(words).join('\n'),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    expect(status).toBe(0);
    return stdout.trim().split('\n');
  }

  const numbersIn = (line: string) =>
    line
      .trim()
      .split(' ')
      .map((each) => BigInt(`0x${each}`));

  test.each([
    ['edges', () => [...edgesOf(prime), 0n, prime - 1n]],
    ['words of zeros and ones', fullAndEmpty],
    ['random numbers', () => Array.from({ length: 5_000 }, random)],
  ] as const)('D150: computes with %s as noble does', (_, numbers) => {
    const all = numbers();
    const other = (index: number) => (all.length < 200 ? undefined : all[(index * 7919 + 1) % all.length]);
    const pairs = all.flatMap((a, index) => {
      const chosen = other(index);
      return chosen === undefined
        ? all.map((b) => [a, b] as const)
        : [[a, chosen] as const, [chosen, a] as const, [a, a] as const];
    });
    // In Montgomery form, as the program keeps them.
    const results = run('field', pairs.flat()).map(numbersIn);
    expect(results).toHaveLength(pairs.length);
    const unradix = Fp.inv(radix);
    const wrong = results.filter((result, index) => {
      const [a, b] = pairs[index] as readonly [bigint, bigint];
      const inverse = a === 0n ? 0n : Fp.mul(Fp.inv(a), Fp.mul(radix, radix));
      const square = Fp.mul(Fp.mul(a, a), unradix);
      const expected = [Fp.mul(Fp.mul(a, b), unradix), Fp.add(a, b), Fp.sub(a, b), inverse, Fp.mul(Fp.sub(square, radix), 3n)];
      return expected.some((each, position) => each !== result[position]);
    });
    expect(wrong).toEqual([]);
  });

  /**
   * Numbers with every digit, of which some stand for multiples of the same power of two in both bases: digits 0 and 0, 7 and 10, 14 and
   * 20, 21 and 30. The digits 14 and 20 are added to each other first, the others meet in later steps.
   */
  function meeting(a: readonly bigint[], b: readonly bigint[]): readonly [bigint, bigint] {
    const of = (count: number, width: number, special: readonly bigint[], each: number) =>
      Fn.create(
        Array.from({ length: count }, (_, row) => {
          const digit = row % each === 0 ? (special[row / each] ?? 1n) : 1n;
          return digit << BigInt(row * width);
        }).reduce((all, part) => all + part, 0n),
      );
    return [of(26, 10, a, 7), of(37, 7, b, 10)];
  }

  // Where both points are the same, or one is a small multiple of the other, sums double points, meet opposite ones, and vanish.
  test.each([
    ['itself', 1n],
    ['its double', 2n],
    ['thrice itself', 3n],
    ['its multiple by 2^7', 1n << 7n],
    ['its multiple by 2^140', 1n << 140n],
  ] as const)('D150: sums with the generator and %s are those of noble', (_, multiple) => {
    const other = BASE.multiply(multiple);
    const digits = [-3n, -1n, 1n, 2n, 3n];
    const cases: (readonly [bigint, bigint])[] = digits.flatMap((a) =>
      digits.flatMap((b) => [
        meeting([a, a, a, a], [b, b, b, b]),
        meeting([1n, 1n, a, 1n], [1n, 1n, b, 1n]),
        meeting([a, 1n, a, 2n], [b, 3n, -b, 2n]),
      ]),
    );
    for (let u = 1n; u < 40n; u++) cases.push([u, u], [u, Fn.neg(u)], [Fn.mul(u, multiple), Fn.neg(u)], [u, 0n], [0n, u]);
    // The sum vanishes, or doubles a point, before the last points of a list.
    for (const digit of [1n, 5n, 63n])
      for (const sign of [1n, -1n])
        cases.push([digit * multiple, sign * digit + (3n << 217n)], [digit, sign * digit + (9n << 224n)]);
    for (let i = 0; i < 100; i++) {
      const u = Fn.create(random());
      cases.push([u, u], [Fn.mul(u, multiple), Fn.neg(u)], [u, Fn.create(random())]);
    }
    const affine = [BASE, other].flatMap((point) => [point.x, point.y].map((each) => Fp.mul(each, radix)));
    const results = run('sums', [...affine, ...cases.flat()]);
    const unradix = Fp.inv(radix);
    cases.forEach(([g, q], index) => {
      const line = results[index] as string;
      const total = Fn.add(g, Fn.mul(q, multiple));
      if (total === 0n) {
        expect(line).toBe('infinity');
        return;
      }
      const { x, y } = BASE.multiply(total).toAffine();
      expect(numbersIn(line).map((each) => Fp.mul(each, unradix))).toEqual([x, y]);
    });
  });
});
