import { describe, expect, test } from 'vitest';
import { checkSubject } from '../../../scripts/commits/check-subject.ts';

describe('a commit subject', () => {
  test.each([
    'http: limit pipelined requests per connection',
    'pipeline: process votes in the order of the road',
    'store, vault: rename the high-water marks',
    'test/support: embed PostgreSQL',
  ])('"%s" is accepted', (subject) => {
    expect(checkSubject(subject)).toEqual([]);
  });

  test.each([
    ['Requests ahead on one connection wait', 'does not read "area: imperative"'],
    ['Http: limit requests', 'does not read "area: imperative"'],
    ['http: limit', 'does not read "area: imperative"'],
    ['http: limited pipelined requests', 'starts with "limited", which is not an imperative'],
    ['http: limits pipelined requests', 'starts with "limits", which is not an imperative'],
    ['http: limiting pipelined requests', 'starts with "limiting", which is not an imperative'],
    ['http: a limit of pipelined requests', 'starts with "a", which is not an imperative'],
    ['http: Limit pipelined requests', 'starts with "Limit", which is not an imperative'],
    ['http: limit pipelined requests.', 'ends with a full stop'],
    [`http: limit ${'x'.repeat(61)}`, 'has 73 characters, at most 72 are allowed'],
  ])('"%s" %s', (subject, problem) => {
    expect(checkSubject(subject)).toEqual([problem]);
  });
});
