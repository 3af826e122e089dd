import type { Page } from 'playwright-core';

/** A request that script in a page sends. */
export interface ScriptRequest {
  readonly url: string;
  readonly body: string;
}

/** Response to such a request. */
export interface ScriptResponse {
  readonly status: number;
  readonly text: string;
}

/** Runs script in the page of a signed-in person: it stamps a body with the session key in the browser's storage, and sends it. */
export function sendByPageScript(page: Page, request: ScriptRequest): Promise<ScriptResponse> {
  return page.evaluate(async ({ url, body }) => {
    const settled = <T>(asked: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
      });
    const database = await settled(indexedDB.open('countersign', 1));
    const pair = (await settled(database.transaction('keys', 'readonly').objectStore('keys').get('session'))) as CryptoKeyPair;
    database.close();
    const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
    const publicKey = `${((point[64] ?? 0) & 1) === 1 ? '03' : '02'}${hexOf(point.slice(1, 33))}`;
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const raw = new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, new TextEncoder().encode(body)));
    const integer = (bytes: Uint8Array) => {
      const digits = hexOf(bytes).replace(/^(00)+(?=..)/, '');
      const positive = Number.parseInt(digits.slice(0, 2), 16) >= 128 ? `00${digits}` : digits;
      return `02${(positive.length / 2).toString(16).padStart(2, '0')}${positive}`;
    };
    const both = integer(raw.slice(0, 32)) + integer(raw.slice(32));
    const signature = `30${(both.length / 2).toString(16).padStart(2, '0')}${both}`;
    const stamp = btoa(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }));
    const header = stamp.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const headers = { 'Content-Type': 'application/json', 'X-Stamp': header };
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  }, request);
}
