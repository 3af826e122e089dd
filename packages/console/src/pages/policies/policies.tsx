import type { PolicyShape } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useDenied } from '../../data/denials.ts';
import { allPolicies, useWholeList } from '../../data/whole-list.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';

const texts = words.policies;

/** SECURITY: a shortened policy has an empty condition, which otherwise means that it applies to all activities. */
function isLeftOut({ shortened }: PolicyShape, field: keyof PolicyShape): boolean {
  return shortened?.fields.includes(field) === true;
}

export function PoliciesPage() {
  const query = useWholeList(allPolicies);
  const [text, setText] = useState('');
  const { reason } = useDenied('createPolicy');
  const create =
    reason !== undefined ? (
      <ActionButton submits="createPolicy" look="solid" icon="plus">
        {texts.create}
      </ActionButton>
    ) : (
      <Link
        to="/policies/$policyId"
        params={{ policyId: 'new' }}
        className="inline-flex min-h-9 items-center gap-2 rounded-lg bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-deep"
      >
        <Icon name="plus" size={18} />
        {texts.create}
      </Link>
    );
  return (
    <ListPage texts={texts} icon="policies" action={create} query={query} isEmpty={({ length }) => length === 0}>
      {(policies) => {
        const wanted = text.trim().toLowerCase();
        const found = policies
          .filter(({ policyName, condition, consensus }) =>
            `${policyName} ${condition} ${consensus}`.toLowerCase().includes(wanted),
          )
          .reverse();
        return (
          <>
            <div className="mb-3 max-w-sm">
              <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
            </div>
            <VirtualList label={texts.title} items={found} keyOf={({ policyId }) => policyId} estimate={112}>
              {(policy) => (
                <div className="pb-2">
                  <Link
                    to="/policies/$policyId"
                    params={{ policyId: policy.policyId }}
                    className="card block px-4 py-3 hover:border-line-strong"
                  >
                    <span className="flex items-center gap-2">
                      <span className="min-w-0 flex-1 truncate font-semibold">
                        <Name text={policy.policyName} />
                      </span>
                      <Badge tone={policy.effect === 'EFFECT_ALLOW' ? 'good' : 'bad'}>{texts.effects[policy.effect]}</Badge>
                    </span>
                    <span className="mt-1 line-clamp-2 font-mono text-sm break-words text-quiet">
                      {isLeftOut(policy, 'condition') ? texts.long : escapeInvisible(policy.condition || texts.everything)}
                    </span>
                    <span className="mt-1 flex items-center gap-1.5 text-sm text-quiet">
                      <Icon name="approvals" size={16} />
                      <span className="truncate font-mono">
                        {isLeftOut(policy, 'consensus') ? texts.long : escapeInvisible(policy.consensus || texts.anyone)}
                      </span>
                    </span>
                  </Link>
                </div>
              )}
            </VirtualList>
          </>
        );
      }}
    </ListPage>
  );
}
