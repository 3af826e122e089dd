import type { Client } from '@countersign/client';
import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Code } from '../../ui/copy.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { chainName } from './chains.ts';
import { ExportSecret } from './export.tsx';

const texts = words.wallets;

export type PrivateKey = Awaited<ReturnType<Client['listPrivateKeys']>>['privateKeys'][number];

interface KeyRowProps {
  privateKey: PrivateKey;
  tags: readonly string[];
  isDisabled: boolean;
}

/** A private key with its addresses, marks and actions. */
export function KeyRow({ privateKey, tags, isDisabled }: KeyRowProps) {
  const { privateKeyId, privateKeyName, addresses, exported, imported } = privateKey;
  const [dialog, setDialog] = useState<'export' | 'disable'>();
  const close = () => setDialog(undefined);
  const disable = useSubmit('disablePrivateKey', { done: texts.keyDisabled, onSent: close });
  return (
    <div className="grid gap-1 border-b border-line px-4 py-3">
      <span className="flex flex-wrap items-center gap-2 font-semibold break-words">
        <Name text={privateKeyName} />
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        {imported && <Badge>{texts.imported}</Badge>}
        {exported && <Badge tone="wait">{texts.exported}</Badge>}
        {isDisabled && <Badge tone="bad">{texts.disabled}</Badge>}
        <FrozenMark id={privateKeyId} />
      </span>
      {addresses.map(({ format, address }) => (
        <span key={format} className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-sm text-quiet">{chainName(format)}</span>
          <Code text={address} what={texts.address} />
        </span>
      ))}
      <RowActions>
        <ActionButton submits="exportPrivateKey" look="quiet" onClick={() => setDialog('export')}>
          {texts.exportOpen}
        </ActionButton>
        <FreezeButton target={{ privateKeyIds: [privateKeyId] }} name={privateKeyName} look="quiet" />
        {!isDisabled && (
          <ActionButton submits="disablePrivateKey" look="quiet" onClick={() => setDialog('disable')}>
            {texts.disable}
          </ActionButton>
        )}
      </RowActions>
      {dialog === 'export' && <ExportSecret what={{ privateKeyId }} name={privateKeyName} onClose={close} />}
      {dialog === 'disable' && (
        <Confirm
          title={texts.disableTitle}
          text={texts.disableText}
          word={privateKeyName}
          action={texts.disable}
          busy={disable.isPending}
          onConfirm={() => disable.mutate({ privateKeyId })}
          onClose={close}
        />
      )}
    </div>
  );
}
