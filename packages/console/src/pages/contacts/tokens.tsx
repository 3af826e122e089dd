import type { Client } from '@countersign/client';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';

const texts = words.contacts;
type Token = Awaited<ReturnType<Client['listTokens']>>['tokens'][number];

export function Tokens() {
  const query = useServiceQuery('listTokens', {});
  const [removed, setRemoved] = useState<Token>();
  const restore = useSubmit('createTokens', { done: words.common.undone });
  const remove = useSubmit('deleteTokens', {
    done: texts.tokenRemoved,
    undo: () => {
      if (removed === undefined) return;
      const { asset, symbol, decimals } = removed;
      restore.mutate({ tokens: [{ asset, symbol, decimals }] });
    },
  });
  return (
    <QueryView query={query}>
      {({ tokens }) => (
        <div className="card overflow-hidden">
          <VirtualList label={texts.tabs.tokens} items={tokens} keyOf={({ asset, source }) => `${source}${asset}`} estimate={62}>
            {(token) => (
              <div className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-2.5">
                <span className="w-20 shrink-0 font-semibold">{token.symbol}</span>
                <span className="min-w-0 flex-1 basis-40">
                  <Code text={token.asset} what={texts.asset} />
                  {token.ignored !== undefined && <span className="block text-sm text-bad">{texts.ignored(token.ignored)}</span>}
                </span>
                <span className="number hidden text-sm text-quiet sm:block">{token.decimals}</span>
                <Badge tone={token.source === 'ORGANIZATION' ? 'accent' : 'calm'}>
                  {token.source === 'ORGANIZATION' ? texts.own : texts.shipped}
                </Badge>
                {token.source === 'ORGANIZATION' && (
                  <ActionButton
                    submits="deleteTokens"
                    look="quiet"
                    busy={remove.isPending && removed?.tokenId === token.tokenId}
                    onClick={() => {
                      setRemoved(token);
                      remove.mutate({ tokenIds: [token.tokenId] });
                    }}
                  >
                    {words.common.remove}
                  </ActionButton>
                )}
              </div>
            )}
          </VirtualList>
        </div>
      )}
    </QueryView>
  );
}

export function CreateToken({ onClose }: { onClose(): void }) {
  const [asset, setAsset] = useState('');
  const [symbol, setSymbol] = useState('');
  const [decimals, setDecimals] = useState('6');
  const create = useSubmit('createTokens', { done: texts.tokenMade, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={texts.createToken}
      isUnfinished={asset === '' || symbol === '' || !/^\d+$/.test(decimals)}
      isBusy={create.isPending}
      onSubmit={() => create.mutate({ tokens: [{ asset: asset.trim(), symbol: symbol.trim(), decimals: Number(decimals) }] })}
      onClose={onClose}
    >
      <TextField
        label={texts.asset}
        mono
        value={asset}
        onChange={setAsset}
        error={errors['tokens.0.asset']}
        placeholder="eip155:1/erc20:0x…"
      />
      <TextField label={texts.symbol} value={symbol} onChange={setSymbol} error={errors['tokens.0.symbol']} />
      <TextField
        label={texts.decimals}
        inputMode="numeric"
        value={decimals}
        onChange={setDecimals}
        error={errors['tokens.0.decimals']}
      />
    </FormDialog>
  );
}
