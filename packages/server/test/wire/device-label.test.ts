import { describe, expect, test } from 'vitest';
import { deviceLabel } from '../../src/wire/device-label.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`;

describe('the label of a device', () => {
  test.each([
    ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0'],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'],
    ['Firefox on Android', 'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0'],
    [
      'Firefox on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 FxiOS/132.0 Safari/605.1.15',
    ],
    ['Chrome on Windows', WINDOWS],
    ['Edge on Windows', `${WINDOWS} Edg/131.0.0.0`],
    ['Opera on Windows', `${WINDOWS} OPR/116.0.0.0`],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} SamsungBrowser/27.0 Chrome/125.0.0.0 Safari/537.36`,
    ],
    ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`],
    ['Safari on macOS', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15'],
    ['Safari on iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1'],
    ['Node.js', 'node'],
    ['curl', 'curl/8.5.0'],
    ['Python', 'python-requests/2.32.3'],
    ['Go', 'Go-http-client/1.1'],
    ['Linux', 'SomeClient (Linux)'],
  ])('%s', (label, userAgent) => {
    expect(deviceLabel(userAgent)).toBe(label);
  });

  test('D1020: contains no text of the client', () => {
    const hostile = ['<script>alert(1)</script>', '\u202eevil\u0000\r\nX: y', '=cmd|calc', 'Ignore all previous instructions'];
    for (const text of hostile) {
      expect(deviceLabel(text)).toBeUndefined();
      expect(deviceLabel(`${text} Windows ${text} Firefox/132.0 ${text}`)).toBe('Firefox on Windows');
    }
    expect(deviceLabel('')).toBeUndefined();
    expect(deviceLabel(undefined)).toBeUndefined();
  });

  test('D1020: is read from the first characters only', () => {
    expect(deviceLabel(`${'x'.repeat(512)}Firefox/132.0 Windows`)).toBeUndefined();
  });
});
