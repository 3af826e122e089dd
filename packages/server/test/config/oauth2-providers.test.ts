import { describe, expect, test } from 'vitest';
import { oauth2Providers } from '../../src/config/oauth2-providers.ts';

const messageOf = (...list: object[]) => oauth2Providers.safeParse(JSON.stringify(list)).error?.issues[0]?.message;
const own = {
  provider: 'OAUTH2_PROVIDER_OWN',
  tokenEndpoint: 'https://login.example/token',
  userinfoEndpoint: 'https://login.example/me',
};

describe('the setting of OAuth 2 providers', () => {
  test('a known provider needs its name alone, and its endpoints can be replaced', () => {
    const [x, discord] = oauth2Providers.parse(
      JSON.stringify([
        { provider: 'OAUTH2_PROVIDER_X' },
        { provider: 'OAUTH2_PROVIDER_DISCORD', userinfoEndpoint: 'https://proxy.example/me' },
      ]),
    );
    expect(x).toMatchObject({ subject: 'data.id', clientAuthentication: 'basic', allowPrivateAddress: false });
    expect(discord).toMatchObject({ tokenEndpoint: 'https://discord.com/api/oauth2/token', subject: 'id' });
    expect(discord?.userinfoEndpoint).toBe('https://proxy.example/me');
  });

  test('others need endpoints, and have the defaults of OpenID Connect', () => {
    expect(oauth2Providers.parse(JSON.stringify([own]))).toEqual([
      { ...own, subject: 'sub', clientAuthentication: 'basic', allowPrivateAddress: false },
    ]);
    expect(messageOf({ provider: 'OAUTH2_PROVIDER_OWN' })).toMatch(
      /^is wrong at 0.tokenEndpoint: and userinfoEndpoint are required/,
    );
  });

  test.each(['', ' ', '[]'])('%j lists none', (text) => {
    expect(oauth2Providers.parse(text)).toEqual([]);
  });

  test('what could send secrets elsewhere is rejected', () => {
    expect(messageOf({ ...own, tokenEndpoint: 'http://login.example/token' })).toContain('must start with https://');
    expect(messageOf({ ...own, userinfoEndpoint: 'https://me@login.example/' })).toContain('must not have a user');
    expect(messageOf({ ...own, tokenEndpoint: 'http://127.0.0.1:9/', allowPrivateAddress: true })).toBeUndefined();
    expect(messageOf(own, own)).toBe('contains a provider twice');
    expect(messageOf({ ...own, provider: 'GITHUB' })).toContain('OAUTH2_PROVIDER_X');
  });
});
