import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Checkpoint,
  emptyRoot,
  formatCheckpoint,
  formatNote,
  openCheckpoint,
  parseCheckpoint,
  parseSignerKey,
  signNote,
  TlogError,
} from '../../src/index.ts';
import { keyNamed, line, verifierOf } from '../support/notes.ts';
import { hex } from '../support/vectors.ts';

const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const text = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;

test('the example of the specification', () => {
  const checkpoint = parseCheckpoint(text);
  expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163, extensions: [] });
  expect(hex(checkpoint.root)).toBe('0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62');
  expect(formatCheckpoint(checkpoint)).toBe(text);
});

test('extension lines are kept as they are', () => {
  const extended = `${text}first extension\n— not a signature\n`;
  expect(parseCheckpoint(extended).extensions).toEqual(['first extension', '— not a signature']);
  expect(formatCheckpoint(parseCheckpoint(extended))).toBe(extended);
});

test('the empty tree has the root of no leaves', () => {
  const empty = { origin: 'o', size: 0, root: emptyRoot(), extensions: [] };
  expect(parseCheckpoint(formatCheckpoint(empty))).toEqual(empty);
  expect(() => parseCheckpoint(`o\n0\n${ROOT}\n`)).toThrow('not that of the empty tree');
});

describe('a text that is no checkpoint is refused', () => {
  it.each([
    ['nothing', ''],
    ['a newline', '\n'],
    ['no newline at the end', text.slice(0, -1)],
    ['two lines', 'o\n1\n'],
    ['an empty origin', `\n1\n${ROOT}\n`],
    ['an empty extension', `${text}\n`],
    ['an empty line between extensions', `${text}a\n\nb\n`],
    ['a leading zero', `o\n01\n${ROOT}\n`],
    ['two zeros', `o\n00\n${ROOT}\n`],
    ['a plus sign', `o\n+1\n${ROOT}\n`],
    ['a minus sign', `o\n-1\n${ROOT}\n`],
    ['a hexadecimal size', `o\n0x1\n${ROOT}\n`],
    ['an exponent', `o\n1e3\n${ROOT}\n`],
    ['a fraction', `o\n1.0\n${ROOT}\n`],
    ['a space before the size', `o\n 1\n${ROOT}\n`],
    ['digits that are not ASCII', `o\n١\n${ROOT}\n`],
    ['2^53', `o\n9007199254740992\n${ROOT}\n`],
    ['2^64', `o\n18446744073709551616\n${ROOT}\n`],
    ['a root of 31 bytes', `o\n1\n${Buffer.alloc(31).toString('base64')}\n`],
    ['a root of 33 bytes', `o\n1\n${Buffer.alloc(33).toString('base64')}\n`],
    ['a root without padding', `o\n1\n${ROOT.slice(0, -1)}\n`],
    ['a root in base64url', `o\n1\n${ROOT.replace('/', '_')}\n`],
    ['a second spelling of the root', `o\n1\n${ROOT.replace('2I=', '2J=')}\n`],
    ['a carriage return', text.replaceAll('\n', '\r\n')],
    ['a control character in the origin', `o\t\n1\n${ROOT}\n`],
  ])('%s', (_, wrong) => {
    expect(() => parseCheckpoint(wrong)).toThrow(TlogError);
  });
});

test('what would not be read back is not written', () => {
  const checkpoint: Checkpoint = { origin: 'o', size: 1, root: emptyRoot(), extensions: [] };
  const wrong: Partial<Checkpoint>[] = [
    { origin: '' },
    { origin: 'a\nb' },
    { origin: 'a\tb' },
    { size: -1 },
    { size: 0.5 },
    { size: 2 ** 53 },
    { size: -0 },
    { root: new Uint8Array(31) },
    { extensions: [''] },
    { extensions: ['a\nb'] },
  ];
  for (const each of wrong) expect(() => formatCheckpoint({ ...checkpoint, ...each })).toThrow(TlogError);
});

test('checkpoints are read back; a text that is accepted is what its parts are written as', () => {
  const checkpoints = fc.record<Checkpoint>({
    origin: line,
    size: fc.maxSafeNat().map((size) => size + (size === 0 ? 1 : 0)),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    extensions: fc.array(line, { maxLength: 3 }),
  });
  const edit = fc.tuple(checkpoints, fc.nat(), fc.constantFrom('', '\n', '0', ' ', '=', '-', 'é'));
  fc.assert(
    fc.property(edit, ([checkpoint, at, insert]) => {
      const written = formatCheckpoint(checkpoint);
      expect(parseCheckpoint(written)).toEqual(checkpoint);
      const place = at % written.length;
      const changed = written.slice(0, place) + insert + written.slice(place + (at % 2));
      let read: Checkpoint;
      try {
        read = parseCheckpoint(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(TlogError);
        return;
      }
      expect(formatCheckpoint(read)).toBe(changed);
    }),
    { numRuns: 300 },
  );
});

describe('a signed checkpoint', () => {
  const log = keyNamed('log.example/countersign');
  const sign = (origin: string) => {
    const body = formatCheckpoint({ origin, size: 7, root: emptyRoot(), extensions: [] });
    return formatNote({ text: body, signatures: [signNote(body, parseSignerKey(log.signer))] });
  };

  it('opens for its own origin', () => {
    const found = openCheckpoint(sign('log.example/countersign'), 'log.example/countersign', [verifierOf(log.verifier)]);
    expect(found).toMatchObject({ origin: 'log.example/countersign', size: 7 });
    expect(found.note.verified).toHaveLength(1);
  });

  it('is refused for another log, though the key is the right one', () => {
    const verifiers = [verifierOf(log.verifier)];
    expect(() => openCheckpoint(sign('log.example/other'), 'log.example/countersign', verifiers)).toThrow('of another log');
  });

  it('is refused without a signature of a known key', () => {
    const verifiers = [verifierOf(keyNamed('PeterNeumann').verifier)];
    expect(() => openCheckpoint(sign('log.example/countersign'), 'log.example/countersign', verifiers)).toThrow('no known key');
  });
});
