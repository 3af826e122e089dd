import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { type AuditSink, withinTime } from './audit-sink.ts';

export interface HttpsSinkOptions {
  readonly url: string;
  readonly token?: string | undefined;
  /** PEM certificates of the authority, instead of the public ones. */
  readonly ca?: string | undefined;
}

/** Posts records as lines of JSON. Any status of 2xx means that the server has taken all of them. Follows no redirect. */
export function httpsSink({ url, token, ca }: HttpsSinkOptions): AuditSink {
  const isSecure = url.startsWith('https:');
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = isSecure ? new SecureAgent({ ...options, ...(ca !== undefined && { ca }) }) : new PlainAgent(options);

  function post(text: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? requestSecure : requestPlain)(
        url,
        {
          method: 'POST',
          agent,
          signal,
          headers: {
            'Content-Type': 'application/x-ndjson',
            'Content-Length': Buffer.byteLength(text),
            ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          },
        },
        (incoming) => {
          const { statusCode = 0 } = incoming;
          incoming.on('error', reject);
          incoming.on('end', () => {
            if (statusCode >= 200 && statusCode < 300) resolve();
            else reject(new Error(`the audit sink responded with ${statusCode}`));
          });
          incoming.resume();
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  return {
    write(lines) {
      const ended = new AbortController();
      return withinTime(post(`${lines.join('\n')}\n`, ended.signal), () => ended.abort());
    },
    async close() {
      agent.destroy();
    },
  };
}
