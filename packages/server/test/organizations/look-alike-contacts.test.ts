import { expect, test } from 'vitest';
import { lookAlikeContacts } from '../../src/organizations/look-alike-contacts.ts';
import type { ContactRecord } from '../../src/organizations/records.ts';

const ADDRESS = (middle: string | number, ends = 'abc') => `0x${ends}${String(middle).padStart(34, '0')}${ends}`;

/** An address whose reads are counted. */
const reads = { count: 0 };
function contact(label: string, address: string): ContactRecord {
  return {
    label,
    get address() {
      reads.count += 1;
      return address;
    },
  } as ContactRecord;
}

const mapOf = (prefix: string, contacts: readonly ContactRecord[]) =>
  new Map(contacts.map((each, at) => [`${prefix}${at}`, each]));

async function warningsOf(known: readonly ContactRecord[], written: readonly ContactRecord[]) {
  const warnings = await lookAlikeContacts(mapOf('k', known), { contacts: mapOf('new:', written) }, () => undefined);
  return warnings.map((text) => /of "(\w+)".* of "(\w+)"/.exec(text)?.slice(1).join(' ~ '));
}

test('names the first contact with another address, and of one request the earlier one', async () => {
  const known = [contact('other', ADDRESS(9, 'def')), contact('acme', ADDRESS(1)), contact('bolt', ADDRESS(2))];
  expect(await warningsOf(known, [contact('fake', ADDRESS(3))])).toEqual(['fake ~ acme']);
  // The same address again, in another case, is no look-alike of itself.
  expect(await warningsOf(known, [contact('again', ADDRESS(1).toUpperCase())])).toEqual(['again ~ bolt']);
  expect(await warningsOf([contact('acme', ADDRESS(1))], [contact('again', ADDRESS(1))])).toEqual([]);
  expect(await warningsOf([], [contact('one', ADDRESS(1)), contact('same', ADDRESS(1)), contact('two', ADDRESS(2))])).toEqual([
    'two ~ one',
  ]);
});

test('a contact that the request rewrites is compared with its new address only', async () => {
  const before = contact('acme', ADDRESS(1));
  const contacts = new Map([['k0', contact('acme', ADDRESS(2))]]);
  expect(await lookAlikeContacts(new Map([['k0', before]]), { contacts }, () => undefined)).toEqual([]);
});

test('D1172: addresses of another length are compared too', async () => {
  const [known, alike] = [`7xKX${'a'.repeat(34)}gAsUx`, `7xKX${'b'.repeat(35)}gAsUx`];
  expect(await warningsOf([contact('acme', known)], [contact('fake', alike)])).toEqual(['fake ~ acme']);
});

test('D1173: each of ten thousand contacts is read once for a hundred new ones with the same ends', async () => {
  const known = Array.from({ length: 10_000 }, (_, at) => contact(`k${at}`, ADDRESS(at)));
  const sameAddress = Array.from({ length: 10_000 }, (_, at) => contact(`k${at}`, ADDRESS(20_000)));
  const written = Array.from({ length: 100 }, (_, at) => contact(`n${at}`, ADDRESS(20_000 + at)));
  let slices = 0;
  const endSlice = () => {
    slices += 1;
    return undefined;
  };
  for (const contacts of [known, sameAddress]) {
    reads.count = 0;
    expect(await lookAlikeContacts(mapOf('k', contacts), { contacts: mapOf('new:', written) }, endSlice)).toHaveLength(10);
    expect(reads.count).toBeLessThan(60_000);
  }
  expect(slices).toBe(20_000);
});
