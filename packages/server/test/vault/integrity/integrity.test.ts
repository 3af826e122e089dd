import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addElement, macsEqual, openIntegrity, subtractElement, sumOfElements } from '../../../src/vault/integrity/integrity.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';
import { toHex } from '../support.ts';

const open = (byte = 1) => openIntegrity(new Secret(new Uint8Array(32).fill(byte)));
const { integrity } = open();

const activity = { organizationId: 'o', id: 'i', revision: 0, fingerprint: 'f', type: 't', status: 's', body: 'b' };

describe('sums of elements', () => {
  test('are exact, and wrap at 2^256', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })), (all) => {
        const greatest = (1n << 256n) - 1n;
        const numbers = [...all, greatest, greatest];
        const bytes = Buffer.from(numbers.map((each) => each.toString(16).padStart(64, '0')).join(''), 'hex');
        expect(sumOfElements(bytes)).toBe(numbers.reduce(addElement, 0n));
      }),
    );
  });
});

describe('row and activity MACs', () => {
  test('depend on every field and on the boundaries between fields', () => {
    const macs = [
      integrity.row('records', 'o', 'k', 'i', 'b'),
      integrity.row('resources', 'o', 'k', 'i', 'b'),
      integrity.row('records', 'p', 'k', 'i', 'b'),
      integrity.row('records', 'o', 'l', 'i', 'b'),
      integrity.row('records', 'o', 'k', 'j', 'b'),
      integrity.row('records', 'o', 'k', 'i', 'c'),
      integrity.row('records', 'ok', '', 'i', 'b'),
      integrity.row('records', 'o', 'ki', '', 'b'),
      integrity.row('records', 'o', 'k', 'ib', ''),
      integrity.activity(activity),
      integrity.activity({ ...activity, organizationId: 'p' }),
      integrity.activity({ ...activity, id: 'j' }),
      integrity.activity({ ...activity, revision: 1 }),
      integrity.activity({ ...activity, fingerprint: 'g' }),
      integrity.activity({ ...activity, type: 'u' }),
      integrity.activity({ ...activity, status: 't' }),
      integrity.activity({ ...activity, body: 'c' }),
      integrity.activity({ ...activity, type: 'ts', status: '' }),
      integrity.head('o', 1, 2n, 3n),
      integrity.head('o', 1, 3n, 2n),
      integrity.head('o', 2, 2n, 3n),
      integrity.head('o', 12, 0n, 3n),
      integrity.head('p', 1, 2n, 3n),
      integrity.timeMark(1),
      integrity.timeMark(2),
    ].map(toHex);
    expect(new Set(macs).size).toBe(macs.length);
    expect(macs.every((mac) => mac.length === 64)).toBe(true);
  });

  test('of many rows at once are those of each row, whatever characters they hold', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00', '"'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.record({ kind: text, id: text, body: text }), { maxLength: 8 }), (all) => {
        const each = all.map(({ kind, id, body }) => integrity.row('records', 'o', kind, id, body));
        const macs = integrity.rows('records', 'o', all);
        expect(toHex(macs)).toBe(each.map(toHex).join(''));
        expect(integrity.elements(macs)).toBe(each.reduce((sum, mac) => addElement(sum, integrity.element(mac)), 0n));
      }),
    );
  });

  test('are equal for the same key, so that every node agrees, and differ for another key', () => {
    const row = (byte: number) => toHex(open(byte).integrity.row('records', 'o', 'k', 'i', 'b'));
    expect(row(1)).toBe(row(1));
    expect(row(1)).not.toBe(row(2));
  });

  test('are pinned: a changed encoding would make every database unreadable', () => {
    expect(toHex(integrity.row('records', 'org', 'user', 'id', '{"a":"é"}'))).toMatchInlineSnapshot(
      `"99680c1b98c5b25b518782a3710c4171ffda8aece1dba2a968ec43f28fd9c324"`,
    );
    expect(toHex(integrity.activity({ ...activity, revision: 3, body: '{}' }))).toMatchInlineSnapshot(
      `"45b0459b2bce61408ba01299225ce6bb408339630f8887802cf47f55ed7e5fb8"`,
    );
    expect(integrity.element(new Uint8Array(32).fill(5)).toString(16)).toMatchInlineSnapshot(
      `"a1815a6045a7f28d38e6aa60cecb40e658c713486f77d0918df651f2f86361dd"`,
    );
    expect(toHex(integrity.head('org', 7, 1n, 2n))).toMatchInlineSnapshot(
      `"d5aa2199fc946466646bf9a2c45d0c41358459c6d3badb453d3f1e9df7dc53b9"`,
    );
  });

  test('are not computed after wiping', () => {
    const opened = open();
    opened.wipe();
    expect(() => opened.integrity.row('records', 'o', 'k', 'i', 'b')).toThrow('wiped');
    expect(() => opened.integrity.activity(activity)).toThrow('wiped');
    expect(() => opened.integrity.element(new Uint8Array(32))).toThrow('wiped');
    expect(() => opened.integrity.head('o', 1, 0n, 0n)).toThrow('wiped');
  });

  test('macsEqual compares bytes and lengths', () => {
    const mac = integrity.head('o', 1, 0n, 0n);
    expect(macsEqual(mac, Uint8Array.from(mac))).toBe(true);
    expect(macsEqual(mac, mac.subarray(1))).toBe(false);
    expect(
      macsEqual(
        mac,
        Uint8Array.from(mac, (byte, i) => (i === 31 ? byte ^ 1 : byte)),
      ),
    ).toBe(false);
  });
});

describe('content sums', () => {
  const elements = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map((mac) => integrity.element(mac)));

  test('an element is below 2^256 and is not the MAC itself', () => {
    const mac = new Uint8Array(32).fill(255);
    expect(integrity.element(mac)).toBeLessThan(1n << 256n);
    expect(integrity.element(mac)).toBeGreaterThanOrEqual(0n);
    expect(integrity.element(mac)).not.toBe(BigInt(`0x${toHex(mac)}`));
  });

  test('do not depend on order, and subtraction undoes addition', () => {
    fc.assert(
      fc.property(elements, elements, (rows, gone) => {
        const sum = [...rows, ...gone].reduce(addElement, 0n);
        expect([...gone, ...rows].reverse().reduce(addElement, 0n)).toBe(sum);
        expect(gone.reduce(subtractElement, sum)).toBe(rows.reduce(addElement, 0n));
        expect(sum).toBeLessThan(1n << 256n);
        expect(sum).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});
