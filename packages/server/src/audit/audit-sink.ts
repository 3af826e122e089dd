/** Takes audit records. Each is one line of JSON without a line break. */
export interface AuditSink {
  /** Resolves when the sink has taken all lines. One call runs at a time. Rejects if it has not taken them within a few seconds. */
  write(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** How long a write may take. */
export const WRITE_MS = 4_000;

/** Rejects if the work takes too long. `abort` ends it then. */
export async function withinTime<T>(work: Promise<T>, abort: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abort();
      reject(new Error(`the audit sink does not answer within ${WRITE_MS} ms`));
    }, WRITE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
