import { describe, expect, test } from 'vitest';
import { explorerUrls } from '../../src/config/explorer-urls.ts';

const one = (url: string) => JSON.stringify({ 'eip155:1': url });

describe('explorer URLs', () => {
  test('are one URL for each chain', () => {
    const given = {
      'eip155:1': 'https://explorer.example.com/tx/{hash}',
      'tron:0x2b6653dc': 'https://scan.example.org/#/t/{hash}',
    };
    expect(explorerUrls.parse(JSON.stringify(given))).toEqual(given);
    expect(explorerUrls.parse('')).toEqual({});
    expect(explorerUrls.parse('{}')).toEqual({});
  });

  test.each([
    ['text that is not JSON', 'https://explorer.example.com/tx/{hash}', 'must be a JSON object'],
    ['a list', '["https://explorer.example.com/tx/{hash}"]', 'must be a JSON object'],
    [
      'a chain that is not known',
      '{"ethereum":"https://explorer.example.com/tx/{hash}"}',
      'a chain that is not known: "ethereum"',
    ],
    ['a URL without the hash', one('https://explorer.example.com/tx/'), 'must contain {hash} once'],
    ['a URL with two hashes', one('https://explorer.example.com/{hash}/{hash}'), 'must contain {hash} once'],
    ['a relative path', one('/tx/{hash}'), 'must be a URL'],
  ])('%s is rejected', (_, text, message) => {
    expect(explorerUrls.safeParse(text).error?.issues[0]?.message).toContain(message);
  });

  test.each([
    ['plain HTTP', 'http://explorer.example.com/tx/{hash}', 'must begin with https://'],
    ['a script', 'javascript:alert("{hash}")', 'must begin with https://'],
    ['a user', 'https://user@explorer.example.com/tx/{hash}', 'must not have a user'],
    ['a hash in the host', 'https://{hash}.example.com/', 'must have {hash} after the host'],
    ['a hash that ends the host', 'https://explorer.example.com{hash}', 'must have {hash} after the host'],
  ])('D980: %s is rejected', (_, url, message) => {
    expect(explorerUrls.safeParse(one(url)).error?.issues[0]?.message).toContain(message);
  });
});
