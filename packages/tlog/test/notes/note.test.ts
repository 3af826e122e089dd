import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ed25519Verifier,
  formatNote,
  MAX_NOTE_BYTES,
  type Note,
  openNote,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
  TlogError,
  verifierKeyOf,
} from '../../src/index.ts';
import { keyName, keyNamed, line, opened, refused, verifierOf } from '../support/notes.ts';
import { flipped, unhex } from '../support/vectors.ts';

const peter = keyNamed('PeterNeumann');
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const peterLine = '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const note = `${text}\n${peterLine}`;
const peterVerifier = verifierOf(peter.verifier);
const label = ({ name, keyId }: { name: string; keyId: number }) => `${name}+${keyId.toString(16).padStart(8, '0')}`;

describe('conformance/log/notes.json', () => {
  it.each(opened)('opens $name', (vector) => {
    const found = openNote(vector.note, vector.keys.map(verifierOf));
    expect(found.text).toBe(vector.text);
    expect(found.verified.map(label)).toEqual(vector.verified);
    expect(formatNote(parseNote(vector.note))).toBe(vector.note);
  });

  it.each(refused)('refuses $name', (vector) => {
    expect(() => openNote(vector.note, vector.keys.map(verifierOf))).toThrow(TlogError);
    expect(() => openNote(Buffer.from(vector.note), vector.keys.map(verifierOf))).toThrow(TlogError);
  });
});

test("the example of Go's note package is signed to the same bytes", () => {
  expect(formatNote({ text, signatures: [signNote(text, parseSignerKey(peter.signer))] })).toBe(note);
});

test('a changed bit in any byte of a signed note is refused', () => {
  const bytes = Uint8Array.from(Buffer.from(note));
  for (let byte = 0; byte < bytes.length; byte++) {
    expect(() => openNote(flipped(bytes, byte), [peterVerifier])).toThrow(TlogError);
  }
});

test('a line with a key id and no signature is not a signature line, also of an unknown key', () => {
  expect(() => parseNote(`${text}\n— Somebody AAAAAA==\n`)).toThrow('not a signature line');
  expect(parseNote(`${text}\n— Somebody AAAAAAA=\n`).signatures).toEqual([
    { name: 'Somebody', keyId: 0, signature: Uint8Array.of(0) },
  ]);
});

describe('stricter than Go', () => {
  it('refuses a wrong signature of a known key also after a right one', () => {
    expect(() => openNote(note + peterLine.replace('ZJkuBS', 'ZJkuBT'), [peterVerifier])).toThrow(
      'PeterNeumann+c74f20a3 is wrong',
    );
  });

  it('refuses a second spelling of the same base64', () => {
    expect(() => openNote(note.replace('nAM=', 'nAN='), [peterVerifier])).toThrow('not a signature line');
  });

  it('refuses two verifiers of one name and id, also if the note does not use them', () => {
    const [log] = [verifierOf(keyNamed('log.example/countersign').verifier)];
    expect(() => openNote(note, [peterVerifier, log, log])).toThrow('same key name and key id');
  });
});

test('one key counts once, however often it signed', () => {
  const found = openNote(note + peterLine + peterLine, [peterVerifier]);
  expect(found.verified).toHaveLength(1);
  expect(found.ignored).toEqual([]);
});

test('a text that would be read as a cosignature is neither signed nor accepted', () => {
  const key = parseSignerKey(peter.signer);
  const trap = 'cosignature/v1\ntime 1\nlog.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n';
  expect(() => signNote(trap, key)).toThrow('would be read as a cosignature');
  const other = signNote(`x${trap}`, key);
  expect(ed25519Verifier(verifierKeyOf(key)).verify(`x${trap}`, other.signature)).toBe(true);
  expect(ed25519Verifier(verifierKeyOf(key)).verify(trap, other.signature)).toBe(false);
});

test('texts and signatures that no note can have are neither signed nor written', () => {
  const key = parseSignerKey(peter.signer);
  for (const wrong of ['', 'no newline', 'a\tb\n', 'a\r\n', '\0\n', '\ud800\n']) {
    expect(() => signNote(wrong, key)).toThrow(TlogError);
    expect(() => formatNote({ text: wrong, signatures: [signNote(text, key)] })).toThrow(TlogError);
    expect(peterVerifier.verify(wrong, new Uint8Array(64))).toBe(false);
  }
  const [signature] = parseNote(note).signatures;
  if (signature === undefined) throw new Error('the example has a signature');
  for (const wrong of [{ name: 'a b' }, { keyId: -1 }, { keyId: 2 ** 32 }, { keyId: 0.5 }, { signature: new Uint8Array() }]) {
    expect(() => formatNote({ text, signatures: [{ ...signature, ...wrong }] })).toThrow(TlogError);
  }
  expect(() => formatNote({ text, signatures: [] })).toThrow('1 to 100 signatures');
  expect(() => formatNote({ text, signatures: Array.from({ length: 101 }, () => signature) })).toThrow('1 to 100 signatures');
});

test('a note has at most 1,000,000 bytes and 100 signatures', () => {
  const filled = (bytes: number) => `${'é'.repeat((bytes - note.length - 2) / 2)}\n${note}`;
  expect(parseNote(note.repeat(1) + peterLine.repeat(99)).signatures).toHaveLength(100);
  // The em dash has three bytes and one character.
  const largest = filled(MAX_NOTE_BYTES - 2);
  expect(Buffer.byteLength(largest)).toBeLessThanOrEqual(MAX_NOTE_BYTES);
  expect(parseNote(largest).signatures).toHaveLength(1);
  const tooLarge = `éé${largest}`;
  expect(tooLarge.length).toBeLessThan(MAX_NOTE_BYTES);
  expect(() => parseNote(tooLarge)).toThrow('at most 1000000 bytes');
  expect(() => parseNote(Buffer.from(tooLarge))).toThrow('at most 1000000 bytes');
});

test('notes are read back, as text and as bytes', () => {
  const notes = fc.record<Note>({
    text: fc.array(fc.oneof(line, fc.constant('')), { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`),
    signatures: fc.array(
      fc.record({ name: keyName, keyId: fc.nat(0xffffffff), signature: fc.uint8Array({ minLength: 1, maxLength: 80 }) }),
      { minLength: 1, maxLength: 5 },
    ),
  });
  fc.assert(
    fc.property(notes, (each) => {
      expect(parseNote(formatNote(each))).toEqual(each);
      expect(parseNote(Buffer.from(formatNote(each)))).toEqual(each);
    }),
  );
});

test('a note that is accepted is what its parts are written as; anything else is a TlogError', () => {
  const pieces = fc.constantFrom(
    '\n',
    '\n\n',
    '— ',
    '—',
    ' ',
    'name',
    peterLine,
    text,
    'AAAAAAA=',
    'AAAAAA==',
    '+',
    '\t',
    '\ud800',
    '\ufeff',
    note,
  );
  const assembled = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(assembled, fc.string({ unit: 'binary' }), fc.uint8Array()), (source) => {
      let read: Note;
      try {
        read = parseNote(source);
      } catch (error) {
        expect(error).toBeInstanceOf(TlogError);
        return;
      }
      expect(formatNote(read)).toBe(typeof source === 'string' ? source : Buffer.from(source).toString());
    }),
    { numRuns: 1000 },
  );
});

test('bytes that are not UTF-8 are refused, and a byte order mark is part of the text', () => {
  expect(() => parseNote(Uint8Array.of(0xff, ...Buffer.from(note)))).toThrow('not valid UTF-8');
  expect(parseNote(Buffer.from(`\ufeff${note}`)).text).toBe(`\ufeff${text}`);
});

test('a verifier of another key refuses the signature', () => {
  const [signature] = parseNote(note).signatures;
  const log = ed25519Verifier(parseVerifierKey(keyNamed('log.example/countersign').verifier));
  expect(peterVerifier.verify(text, signature?.signature ?? new Uint8Array())).toBe(true);
  expect(log.verify(text, signature?.signature ?? new Uint8Array())).toBe(false);
});

test('a signature whose point R has a second spelling is refused, although the key made it', () => {
  const { seed } = parseSignerKey(peter.signer);
  const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
  // The nonce is 0, so R is the neutral point: y = 1. A y of p + 1 means the same to a lenient reader (RFC 8032 section 5.1.3).
  const sign = (point: Uint8Array) => {
    const digest = createHash('sha512').update(point).update(pointBytes).update(text).digest().reverse();
    const s = (BigInt(`0x${digest.toString('hex')}`) * scalar) % ed25519.Point.Fn.ORDER;
    return Uint8Array.from([...point, ...ed25519.Point.Fn.toBytes(s)]);
  };
  expect(peterVerifier.verify(text, sign(unhex(`01${'00'.repeat(31)}`)))).toBe(true);
  expect(peterVerifier.verify(text, sign(unhex(`ee${'ff'.repeat(30)}7f`)))).toBe(false);
});
