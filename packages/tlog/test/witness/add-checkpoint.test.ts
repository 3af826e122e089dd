import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatAddCheckpoint,
  parseAddCheckpoint,
  parseCheckpoint,
  parseNote,
  parseTreeSize,
  TlogError,
} from '../../src/index.ts';

// The request and the answer that C2SP tlog-witness shows as examples.
const checkpoint = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
`;
const proof = [
  'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=',
  'jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=',
  '5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=',
  '/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=',
];
const example = `old 20852014\n${proof.join('\n')}\n\n${checkpoint}`;

describe('add-checkpoint', () => {
  test('the example of the specification is read, and written again as it was', () => {
    const request = parseAddCheckpoint(example);
    expect(request).toEqual({
      oldSize: 20852014,
      proof: proof.map((line) => new Uint8Array(Buffer.from(line, 'base64'))),
      checkpoint,
    });
    expect(formatAddCheckpoint(request)).toBe(example);
    const note = parseNote(request.checkpoint);
    expect(parseCheckpoint(note.text)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
    expect(note.signatures).toHaveLength(2);
  });

  test('a witness without a tree of the log gets no proof', () => {
    expect(parseAddCheckpoint(`old 0\n\n${checkpoint}`)).toEqual({ oldSize: 0, proof: [], checkpoint });
  });

  test.each([
    ['no old size', `${proof[0]}\n\n${checkpoint}`],
    ['a leading zero', `old 01\n\n${checkpoint}`],
    ['a sign', `old +1\n\n${checkpoint}`],
    ['two spaces', `old  1\n\n${checkpoint}`],
    ['a size of 2^53', `old 9007199254740992\n\n${checkpoint}`],
    ['another word', `new 1\n\n${checkpoint}`],
    ['carriage returns', `old 1\r\n\r\n${checkpoint}`],
    ['no empty line', `old 1\n${proof[0]}\n`],
    ['a short hash', `old 1\nPlRN\n\n${checkpoint}`],
    ['another spelling of a hash', `old 1\n${(proof[0] as string).replace('kaw=', 'kax=')}\n\n${checkpoint}`],
    ['64 hashes', `old 1\n${Array.from({ length: 64 }, () => proof[0]).join('\n')}\n\n${checkpoint}`],
    ['nothing', ''],
    ['half of a surrogate pair', `old 1\n\n${checkpoint}\ud800`],
  ])('%s is refused', (_, body) => {
    expect(() => parseAddCheckpoint(body)).toThrow(TlogError);
  });

  test('whatever is written is read again as it was', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.array(hash, { maxLength: 63 }), (oldSize, hashes) => {
        const request = { oldSize, proof: hashes, checkpoint };
        expect(parseAddCheckpoint(formatAddCheckpoint(request))).toEqual(request);
      }),
    );
    expect(() => formatAddCheckpoint({ oldSize: -1, proof: [], checkpoint })).toThrow(TlogError);
    expect(() => formatAddCheckpoint({ oldSize: 1, proof: [new Uint8Array(31)], checkpoint })).toThrow(TlogError);
  });

  test('a tree size has one spelling', () => {
    expect(['0', '7', '9007199254740991'].map(parseTreeSize)).toEqual([0, 7, 9007199254740991]);
    for (const text of ['', '00', '-1', '1.0', '1 ', '9007199254740992', '1e3']) expect(parseTreeSize(text)).toBeUndefined();
  });
});
