import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { blocks, flag, list, listenAddress, whole } from '../setting-values.ts';

/** Where the service listens, and for whom. */
export const listeningSettings = {
  host: { schema: z.string().min(1), default: '127.0.0.1', describe: 'Address to listen on' },
  port: { schema: whole(0, 65_535), default: '8787', describe: 'Port to listen on; 0 picks a free one' },
  publicUrl: {
    schema: z
      .url('must be an address')
      .regex(/^https?:\/\/[^?#]+$/, 'must begin with http:// or https://, without a query and a fragment')
      .transform((text) => text.replace(/\/+$/, '')),
    describe:
      'Public URL of this server, such as https://keys.example.com, with the path that a proxy adds: links in emails start with it',
  },
  console: {
    schema: z.union([z.enum(['on', 'off']), whole(1, 65_535)], 'must be on, off or a port'),
    default: 'on',
    describe:
      'The web console under /console: on, off, or a separate port that serves the console and the API, while the other port serves only the API',
  },
  compatRoot: {
    schema: flag,
    default: 'false',
    describe:
      'Serve the dialect of the @turnkey packages at the root, for clients that accept a host but no path; the specification then has the base path /spec',
  },
  trustedProxies: {
    schema: blocks.refine((texts) => texts.every((text) => !text.endsWith('/0')), 'must not include every address'),
    default: '',
    describe:
      'Reverse proxies whose X-Forwarded-For is trusted for the client address, as comma-separated CIDR blocks such as 127.0.0.1/32; the header of any other peer is ignored',
    form: 'list',
  },
  proxyProtocol: {
    schema: flag,
    default: 'false',
    describe:
      'Connections of trusted proxies begin with a header of the PROXY protocol (version 1 or 2) that names the client address; one without it is closed. Connections of other peers have none',
  },
  adminListen: {
    schema: listenAddress,
    describe:
      'Separate address for /metrics, /healthz and /readyz over plain HTTP, such as 127.0.0.1:9090. With it, /metrics is served only there',
  },
  allowedOrigins: {
    schema: list,
    default: '',
    describe:
      'Browser origins other than its own that may call the API, comma-separated, such as https://app.example.com; * for any; if empty, none',
    form: 'list',
  },
  requestTimeoutSeconds: { schema: whole(1, 600), default: '30', describe: 'Maximum time for a request to arrive' },
  keepAliveSeconds: { schema: whole(1, 3600), default: '72', describe: 'How long an idle connection stays open' },
} as const satisfies Record<string, Setting>;
