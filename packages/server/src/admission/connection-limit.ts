/** Bounds the open connections, per address and in total. */
export interface ConnectionLimit {
  /** Counts a connection. Returns its release, or undefined if there are too many. */
  open(address: string): (() => void) | undefined;
}

/** SECURITY: D167: each connection takes memory and a file descriptor before it sends anything. 0: no limit. */
export function createConnectionLimit(perAddress: number, total: number, onLimit: () => void = () => {}): ConnectionLimit {
  const byAddress = new Map<string, number>();
  let all = 0;
  return {
    open(address) {
      const count = byAddress.get(address) ?? 0;
      if ((perAddress > 0 && count >= perAddress) || (total > 0 && all >= total)) {
        onLimit();
        return undefined;
      }
      byAddress.set(address, count + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (byAddress.get(address) ?? 1) - 1;
        if (left === 0) byAddress.delete(address);
        else byAddress.set(address, left);
      };
    },
  };
}
