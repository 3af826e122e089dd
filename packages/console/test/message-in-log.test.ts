import { CountersignError } from '@countersign/client';
import { expect, test } from 'vitest';
import { messageInLog } from '../src/review/message-in-log.ts';

const error = (status: number) => Object.assign(Object.create(CountersignError.prototype), { status }) as CountersignError;

function readerOf(content: object | undefined) {
  const asked: object[] = [];
  return {
    asked,
    reader: {
      async getLogProof(input: object) {
        asked.push(input);
        return { leaf: { opening: JSON.stringify({ sequence: 7 }) } };
      },
      async listAuditRecords(input: object) {
        asked.push(input);
        return { records: [{ ...(content && { content: JSON.stringify(content) }) }] };
      },
    } as never,
  };
}

test.each([
  ['a vote', { vote: { body: '{"a":1}' } }, '{"a":1}'],
  ['a request of the parent', { body: '{"a":1}' }, '{"a":1}'],
  ['a content without the message', { vote: {} }, ''],
  ['a leaf without content', undefined, ''],
])('the message in %s', async (_, content, message) => {
  const { asked, reader } = readerOf(content);
  expect(await messageInLog(reader, 'id')).toBe(message);
  expect(asked).toEqual([
    { activityId: 'id', revision: '0' },
    { from: '7', limit: '1' },
  ]);
});

test('people who may not read the log get none, and other errors stay errors', async () => {
  const failing = (status: number) => ({ getLogProof: () => Promise.reject(error(status)) }) as never;
  expect(await messageInLog(failing(403), 'id')).toBe('');
  await expect(messageInLog(failing(500), 'id')).rejects.toMatchObject({ status: 500 });
});
