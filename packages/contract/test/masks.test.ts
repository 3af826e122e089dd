import { describe, expect, test } from 'vitest';
import { activities, hasContact, isConfidential, isMaskedUrl, maskFeature, maskUrl, maskUrlsIn } from '../src/index.ts';

describe('masked URLs', () => {
  test.each([
    ['https://hooks.example.com/a/b', 'https://hooks.example.com/***'],
    ['https://hooks.example.com/?token=x', 'https://hooks.example.com/***'],
    ['https://hooks.example.com?token=x', 'https://hooks.example.com/***'],
    ['https://hooks.example.com/#token', 'https://hooks.example.com/***'],
    ['https://user:token@hooks.example.com/', 'https://hooks.example.com/***'],
    ['http://[3ffe::25]:8080/x', 'http://[3ffe::25]:8080/***'],
    ['https://hooks.example.com/', 'https://hooks.example.com/'],
    ['https://hooks.example.com', 'https://hooks.example.com'],
    // Forms that URL parsers accept and this function does not: nothing is shown.
    ['https:\\\\hooks.example.com\\token', ''],
    ['https:/hooks.example.com/token', ''],
    ['https://hooks.example.com\\token', ''],
    ['https://a:b@token@hooks.example.com/', ''],
    [' https://hooks.example.com/token', ''],
    ['token', ''],
  ])('D332: %j is shown as %j', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
    expect(maskUrl(shown)).toBe(shown);
  });

  test('only the masked form counts as masked', () => {
    expect(['https://a.example/***', 'https://a.example/', 'https://a.example/x/***', '***'].map(isMaskedUrl)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('D332: URLs inside an explanation are masked', () => {
    const text = `activity.params.url == 'https://a.example/token' → "https://a.example/token?x=1"`;
    expect(maskUrlsIn(text)).toBe(`activity.params.url == 'https://a.example/***' → "https://a.example/***"`);
  });

  test('only the value of the webhook feature is masked', () => {
    const webhook = { name: 'FEATURE_NAME_WEBHOOK', value: 'https://a.example/token' };
    expect(maskFeature(webhook)).toEqual({ ...webhook, value: 'https://a.example/***' });
    const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://a.example,https://b.example' };
    expect(maskFeature(origins)).toBe(origins);
  });

  test('D333: marks survive wrappers and reach every version', () => {
    const marked = (name: keyof typeof activities) => hasContact(activities[name].input);
    expect((['createUsers', 'initOtp', 'updateWebhookEndpoint', 'setOrganizationFeature'] as const).map(marked)).not.toContain(
      false,
    );
    expect((['signRawPayload', 'createWallet', 'createPolicy'] as const).map(marked)).not.toContain(true);
    expect(isConfidential(activities.oauth.input)).toBe(true);
    expect(isConfidential(activities.signTransaction.input)).toBe(false);
  });
});
