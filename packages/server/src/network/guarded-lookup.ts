import { isIP, type LookupFunction } from 'node:net';
import type { ResolveName } from './resolve-name.ts';

/**
 * Like `dns.lookup`, but rejects a name if any of its addresses is forbidden.
 * SECURITY: pass this to the connection itself. The connection then goes to the address that was checked: the name cannot resolve to
 * another address in between.
 */
export function guardedLookup(resolve: ResolveName, mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, { all, family }, callback) => {
    const refuse = (problem: string) => callback(new Error(problem), '', 0);
    resolve(hostname).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: isIP(address) }));
        const wanted = family === 4 || family === 6 ? addresses.filter((each) => each.family === family) : addresses;
        const [first] = wanted;
        if (first === undefined) refuse('the name has no address');
        else if (!found.every(mayReach)) refuse('the name resolves to a private address, which is not allowed');
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
