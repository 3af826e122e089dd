/** Bounds how many connections there are at a time, of one address and in all. */
export interface ConnectionLimit {
  /** Gives what ends the count of a connection; undefined where it must not be served. */
  open(address: string): (() => void) | undefined;
}

/** SECURITY: D167: each connection takes memory and a file descriptor before it says anything. 0: no limit. */
export function createConnectionLimit(perAddress: number, inAll: number, onRefused: () => void = () => {}): ConnectionLimit {
  const byAddress = new Map<string, number>();
  let all = 0;
  return {
    open(address) {
      const count = byAddress.get(address) ?? 0;
      if ((perAddress > 0 && count >= perAddress) || (inAll > 0 && all >= inAll)) {
        onRefused();
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
