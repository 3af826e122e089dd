import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { CidrError, parseCidr } from '../network/ip-blocks.ts';
import type { ListenAddress } from '../network/ports.ts';

/** An integer within bounds. */
export const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

/** A comma-separated list. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** CIDR blocks in canonical form. */
export const blocks = list.superRefine((texts, context) => {
  for (const text of texts) {
    try {
      parseCidr(text);
    } catch (error) {
      if (!(error instanceof CidrError)) throw error;
      context.addIssue({ code: 'custom', message: `${text} ${error.message}` });
    }
  }
});

/** Concatenated PEM certificates. */
export const certificates = z.string().transform((text, context): readonly X509Certificate[] => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0 || text.trim() === '') return blocks.map((block) => new X509Certificate(block));
  } catch {
    // A block without a valid certificate: rejected below, like a text without blocks.
  }
  context.addIssue({ code: 'custom', message: 'must be certificates in PEM' });
  return z.NEVER;
});

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** The path of a file. SECURITY: the content of a file, such as a private key, is not a path, and no error shows it. */
export const filePath = z
  .string()
  .min(1, 'must be the path of a file')
  .refine((text) => !/[\n\0]|^-----BEGIN/.test(text), 'must be the path of a file, not its content');

/** `127.0.0.1:9090`, `[::1]:9090`, or a port alone, which means 127.0.0.1. */
export const listenAddress = z.string().transform((text, context): ListenAddress => {
  const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-f:.]+)\]|([^:\s[\]]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port < 1 || port > 65_535) {
    context.addIssue({ code: 'custom', message: 'must be an address and a port, such as 127.0.0.1:9090' });
    return z.NEVER;
  }
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
});
