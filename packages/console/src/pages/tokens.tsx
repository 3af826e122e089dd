import { useState } from 'react';
import { useAsk } from '../data/ask.ts';
import { fieldErrors } from '../data/errors.ts';
import { useSubmit } from '../data/submit.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Answer } from '../ui/fault.tsx';
import { TextField } from '../ui/field.tsx';
import { Badge } from '../ui/page.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { words } from '../words/index.ts';

const said = words.contacts;

export function Tokens() {
  const query = useAsk('listTokens', {});
  return (
    <Answer query={query}>
      {({ tokens }) => (
        <div className="card overflow-hidden">
          <VirtualList label={said.tabs.tokens} items={tokens} keyOf={({ asset, source }) => `${source}${asset}`} estimate={62}>
            {({ asset, symbol, decimals, source }) => (
              <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
                <span className="w-20 shrink-0 font-semibold">{symbol}</span>
                <span className="min-w-0 flex-1">
                  <Code text={asset} what={said.asset} />
                </span>
                <span className="number hidden text-sm text-quiet sm:block">{decimals}</span>
                <Badge tone={source === 'ORGANIZATION' ? 'accent' : 'calm'}>
                  {source === 'ORGANIZATION' ? said.own : said.shipped}
                </Badge>
              </div>
            )}
          </VirtualList>
        </div>
      )}
    </Answer>
  );
}

export function CreateToken({ onClose }: { onClose(): void }) {
  const [asset, setAsset] = useState('');
  const [symbol, setSymbol] = useState('');
  const [decimals, setDecimals] = useState('6');
  const create = useSubmit('createTokens', { done: said.tokenMade, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.createToken}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ tokens: [{ asset: asset.trim(), symbol: symbol.trim(), decimals: Number(decimals) }] });
        }}
      >
        <TextField
          label={said.asset}
          mono
          value={asset}
          onChange={setAsset}
          error={errors['tokens.0.asset']}
          placeholder="eip155:1/erc20:0x…"
        />
        <TextField label={said.symbol} value={symbol} onChange={setSymbol} error={errors['tokens.0.symbol']} />
        <TextField
          label={said.decimals}
          inputMode="numeric"
          value={decimals}
          onChange={setDecimals}
          error={errors['tokens.0.decimals']}
        />
        <Button
          type="submit"
          look="solid"
          icon="passkey"
          busy={create.isPending}
          disabled={asset === '' || symbol === '' || !/^\d+$/.test(decimals)}
        >
          {said.createToken}
        </Button>
      </form>
    </Dialog>
  );
}
