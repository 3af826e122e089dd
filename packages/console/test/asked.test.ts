import { describe, expect, test } from 'vitest';
import { fileAsked, isNavigationHome } from '../src/offline/asked.ts';

const scope = 'https://keys.example.com/eu/console/';
const asked = (url: string, more: object = {}) => ({
  url: new URL(url, scope).href,
  method: 'GET',
  mode: 'cors' as const,
  ...more,
});

describe('D222: what the worker of the console answers for', () => {
  test.each([
    ['a file of the console', 'assets/index-Br8Yk2Qz.js', 'assets/index-Br8Yk2Qz.js'],
    ['the page', './', ''],
    ['the page with a query', './?a=b#/wallets', ''],
  ])('%s is one of its files', (_what, url, name) => {
    expect(fileAsked(asked(url), scope)).toBe(name);
  });

  test.each([
    ['the API beside the console', '../public/v1/query/list_wallets'],
    ['a folder with a name that begins alike', '../console-old/index.html'],
    ['the same path of another origin', 'https://evil.example.com/eu/console/index.html'],
    ['a path that leaves the folder', 'assets/../../public/v1/query/whoami'],
  ])('%s is not', (_what, url) => {
    expect(fileAsked(asked(url), scope)).toBeUndefined();
  });

  test('only a page that is opened is home, and a request that posts never is a file', () => {
    expect(isNavigationHome(asked('./', { mode: 'navigate' }), scope)).toBe(true);
    expect(isNavigationHome(asked('index.html', { mode: 'navigate' }), scope)).toBe(true);
    expect(isNavigationHome(asked('./'), scope)).toBe(false);
    expect(isNavigationHome(asked('settings.json', { mode: 'navigate' }), scope)).toBe(false);
    expect(fileAsked(asked('index.html', { method: 'POST' }), scope)).toBeUndefined();
  });
});
