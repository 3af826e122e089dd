import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Answer } from './fault.tsx';
import type { IconName } from './icon.tsx';
import { Empty, PageHead } from './page.tsx';

interface ListPageProps<Data> {
  said: { readonly title: string; readonly lead: string; readonly empty: { readonly title: string; readonly text: string } };
  icon: IconName;
  /** What adds to the list. It stands at the head, and again where the list is empty. */
  action: ReactNode;
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  isEmpty(data: Data): boolean;
  children(data: Data): ReactNode;
}

/** A page that is a list: what adds to it, what it says while it is empty, and the list. */
export function ListPage<Data>({ said, icon, action, query, isEmpty, children }: ListPageProps<Data>) {
  return (
    <>
      <PageHead title={said.title} lead={said.lead}>
        {action}
      </PageHead>
      <Answer query={query}>
        {(data) =>
          isEmpty(data) ? (
            <Empty icon={icon} title={said.empty.title} text={said.empty.text}>
              {action}
            </Empty>
          ) : (
            children(data)
          )
        }
      </Answer>
    </>
  );
}
