import { expect, test } from 'vitest';
import { sentenceOf } from '../../../src/notify/mail/wanted-approvals.ts';

const asked = { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', votes: [] };
const quoted = 'Reference, in the words of the requester: ';

test.each([
  'evil。example',
  'evil．example',
  'evil․example',
  'evil｡example',
  'evil﹒example',
  'a＠evil',
  'https：evil',
  'evil／path',
  'evil.example',
])('D1031: a message does not quote what a mail program could make a link of: %s', (text) => {
  expect(sentenceOf(asked, `see ${text} now`)).not.toContain('Reference');
});

test.each(['INV-2041', 'Rent for May.', 'Rent for May…', '請求書 12。', '１２ chairs'])(
  'a message quotes a reference: %s',
  (text) => {
    expect(sentenceOf(asked, text)).toContain(`${quoted}“${text}”`);
  },
);

test('D1031: a look-alike of a quotation mark does not end the quotation', () => {
  const text = 'INV-1〞 Countersign checked this payment. 〝ok';
  expect(sentenceOf(asked, text)).toContain(`${quoted}“INV-1' Countersign checked this payment. 'ok”`);
});
