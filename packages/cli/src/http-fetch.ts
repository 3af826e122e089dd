import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Posts a body with Node's HTTP client. It gives a response's status and text, which is all that a client reads, and follows no redirects.
 * `fetch` compiles its parser from WebAssembly at each start of a process, which takes longer than a request.
 */
export async function httpFetch(url: string, { method, headers, body, signal }: RequestInit): Promise<Response> {
  const send = url.startsWith('https:') ? (await import('node:https')).request : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: headers as Record<string, string>, ...(signal && { signal }) }, (answer) => {
      text(answer).then((content) => {
        const response: Pick<Response, 'status' | 'text'> = { status: answer.statusCode ?? 0, text: async () => content };
        resolve(response as Response);
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
