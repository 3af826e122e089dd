import { describe, expect, test } from 'vitest';
import { isNavigationHome, requestedFile } from '../src/offline/requested-file.ts';

const scope = 'https://keys.example.com/eu/console/';
const request = (url: string, more: object = {}) => ({
  url: new URL(url, scope).href,
  method: 'GET',
  mode: 'cors' as const,
  ...more,
});

describe('D222: requests that the service worker answers', () => {
  test.each([
    ['a file of the console', 'assets/index-Br8Yk2Qz.js', 'assets/index-Br8Yk2Qz.js'],
    ['the page', './', ''],
    ['the page with a query', './?a=b#/wallets', ''],
  ])('%s is a file of the console', (_what, url, name) => {
    expect(requestedFile(request(url), scope)).toBe(name);
  });

  test.each([
    ['the API beside the console', '../public/v1/query/list_wallets'],
    ['a folder whose name has the same prefix', '../console-old/index.html'],
    ['the same path of another origin', 'https://evil.example.com/eu/console/index.html'],
    ['a path that leaves the folder', 'assets/../../public/v1/query/whoami'],
  ])('%s is not a file of the console', (_what, url) => {
    expect(requestedFile(request(url), scope)).toBeUndefined();
  });

  test('isNavigationHome is true only for navigations, and a POST request is never a file', () => {
    expect(isNavigationHome(request('./', { mode: 'navigate' }), scope)).toBe(true);
    expect(isNavigationHome(request('index.html', { mode: 'navigate' }), scope)).toBe(true);
    expect(isNavigationHome(request('./'), scope)).toBe(false);
    expect(isNavigationHome(request('settings.json', { mode: 'navigate' }), scope)).toBe(false);
    expect(requestedFile(request('index.html', { method: 'POST' }), scope)).toBeUndefined();
  });
});
