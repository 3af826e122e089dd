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
      integrity.row('records', 'o', 'k', 'i', 0, 'b'),
      integrity.row('resources', 'o', 'k', 'i', 0, 'b'),
      integrity.row('records', 'p', 'k', 'i', 0, 'b'),
      integrity.row('records', 'o', 'l', 'i', 0, 'b'),
      integrity.row('records', 'o', 'k', 'j', 0, 'b'),
      integrity.row('records', 'o', 'k', 'i', 0, 'c'),
      integrity.row('records', 'ok', '', 'i', 0, 'b'),
      integrity.row('records', 'o', 'ki', '', 0, 'b'),
      integrity.row('records', 'o', 'k', 'ib', 0, ''),
      integrity.row('records', 'o', 'k', 'i', 1, 'b'),
      integrity.row('records', 'o', 'k', 'i', 2, 'b'),
      integrity.row('resources', 'o', 'k', 'i', 1, 'b'),
      integrity.row('records', 'o', 'k', 'i1', 1, ''),
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
      fc.property(fc.array(fc.record({ kind: text, id: text, writtenBy: fc.nat(2), body: text }), { maxLength: 8 }), (all) => {
        const each = all.map(({ kind, id, writtenBy, body }) => integrity.row('records', 'o', kind, id, writtenBy, body));
        const macs = integrity.rows('records', 'o', all);
        expect(toHex(macs)).toBe(each.map(toHex).join(''));
        expect(integrity.elements(macs)).toBe(each.reduce((sum, mac) => addElement(sum, integrity.element(mac)), 0n));
      }),
    );
  });

  test('are equal for the same key, so that every node agrees, and differ for another key', () => {
    const row = (byte: number) => toHex(open(byte).integrity.row('records', 'o', 'k', 'i', 0, 'b'));
    expect(row(1)).toBe(row(1));
    expect(row(1)).not.toBe(row(2));
  });

  test('are pinned: a changed encoding would make every database unreadable', () => {
    expect(toHex(integrity.row('records', 'org', 'user', 'id', 0, '{"a":"é"}'))).toMatchInlineSnapshot(
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
    expect(() => opened.integrity.row('records', 'o', 'k', 'i', 0, 'b')).toThrow('wiped');
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

describe('layouts of the log', () => {
  const entry = { format: 1, organizationId: 'o', activityId: 'a', revision: 0, body: 'b' };
  const state = { size: 1, root: new Uint8Array([2]), frontier: new Uint8Array([3]), mapRoot: new Uint8Array(0) };

  test('depend on every field', () => {
    const macs = [
      integrity.logEntry(entry),
      integrity.logEntry({ ...entry, format: 2 }),
      integrity.logEntry({ ...entry, format: 2, organizationId: 'p' }),
      integrity.logEntry({ ...entry, format: 2, activityId: 'b' }),
      integrity.logEntry({ ...entry, format: 2, revision: 1 }),
      integrity.logEntry({ ...entry, format: 2, body: 'c' }),
      integrity.logState(state),
      integrity.logState({ ...state, mapRoot: new Uint8Array([4]) }),
      integrity.logState({ ...state, mapRoot: new Uint8Array([5]) }),
      integrity.logState({ ...state, size: 2, mapRoot: new Uint8Array([4]) }),
      integrity.mapUsageKey('o', 'b'),
      integrity.mapUsageKey('ob', ''),
      integrity.machine('machine-id', 'x'),
      integrity.machine('tpm', 'x'),
    ].map(toHex);
    expect(new Set(macs).size).toBe(macs.length);
  });

  test('are pinned: the layouts of earlier releases keep their bytes', () => {
    const pinned = {
      entry1: integrity.logEntry(entry),
      entry2: integrity.logEntry({ ...entry, format: 2 }),
      state1: integrity.logState(state),
      state2: integrity.logState({ ...state, mapRoot: new Uint8Array([4]) }),
      row2: integrity.row('records', 'org', 'user', 'id', 7, '{"a":"é"}'),
      usageKey: integrity.mapUsageKey('org', 'bucket'),
      machine: integrity.machine('machine-id', 'x'),
    };
    expect(Object.fromEntries(Object.entries(pinned).map(([name, mac]) => [name, toHex(mac)]))).toMatchInlineSnapshot(`
      {
        "entry1": "ab92e862ad4d2d41d1e7c93ff78ec7204c4c3a69ef24f9ddbce2716f619e0a6f",
        "entry2": "1d65d60e49decaca9b0a75c368e24c5d89d3a952fdefb511fc1de3a152e92561",
        "machine": "bb033e0aba19af04863cb82bc3ee35d934aad593fe5ce4b4f18563162f26413b",
        "row2": "ab2a787af82649a32d1c36c5e6fa70f96b2b218c29b7ff5c82e4fb218f96e668",
        "state1": "e6910a438ebe2549822cff555c01a4629d33cf52dcc42cbbaf17b04cd977141c",
        "state2": "4fb5d5e0f8d4a7a3dc78b9fffb21fb1b42205c04a15e1d8428610104f069de1f",
        "usageKey": "8c9e77b70d3bf9b73a2e3eb1222ffdf6b516238c6adea2f99c367f285ac3160a",
      }
    `);
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
