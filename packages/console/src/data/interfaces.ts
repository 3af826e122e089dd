import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/context.tsx';
import { ask } from './service-query.ts';
import { WHOLE } from './whole-list.ts';

type Interface = OutputOf<Queries['listSmartContractInterfaces']>['smartContractInterfaces'][number];

/** All contract interfaces. The list contains long ones without their text, so these are loaded one by one, and once. */
export function useInterfaces(): UseQueryResult<readonly Interface[]> {
  const { reader } = useSession();
  const queries = useQueryClient();
  const wholeOf = ({ smartContractInterfaceId, updatedAt }: Interface): Promise<Interface> =>
    queries.fetchQuery({
      queryKey: ['smartContractInterface', smartContractInterfaceId, updatedAt],
      queryFn: async () => (await ask(reader, 'getSmartContractInterface', { smartContractInterfaceId })).smartContractInterface,
      staleTime: Number.POSITIVE_INFINITY,
    });
  return useQuery({
    queryKey: ['listSmartContractInterfaces', WHOLE],
    queryFn: async ({ signal }) => {
      const { smartContractInterfaces } = await ask(reader, 'listSmartContractInterfaces', {}, signal);
      const whole: Interface[] = [];
      for (const each of smartContractInterfaces) whole.push(each.shortened === undefined ? each : await wholeOf(each));
      return whole;
    },
  });
}
