import { type GeneratedApiKey, generateApiKey } from '@countersign/client';
import { useState } from 'react';
import { apiBase } from '../../session/api.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { words } from '../../words/index.ts';

const texts = words.credentials;
type Curve = keyof typeof texts.curves;

/** What a form says about an API key to register. */
export interface KeyDraft {
  readonly name: string;
  readonly source: keyof typeof texts.sources;
  readonly pasted: string;
  readonly curve: Curve;
  readonly seconds: string;
  /** The pair of this browser. */
  readonly pair: GeneratedApiKey;
}

/** SECURITY: D970: the private half is only in the memory of the form. No request, cache or storage of the browser has it. */
export const useKeyDraft = () =>
  useState<KeyDraft>(() => ({
    ...{ name: '', source: 'here', pasted: '', curve: 'API_KEY_CURVE_P256', seconds: '' },
    pair: generateApiKey(),
  }));

export const isKeyUnfinished = ({ name, source, pasted }: KeyDraft): boolean =>
  name.trim() === '' || (source === 'pasted' && pasted.trim() === '');

/** Parameters of a key on P-256, the only curve of API-only users. */
export function keyParams({ name, source, pasted, seconds, pair }: KeyDraft) {
  return {
    apiKeyName: name.trim(),
    publicKey: source === 'here' ? pair.apiPublicKey : pasted.trim(),
    ...(seconds !== '' && { expirationSeconds: seconds }),
  };
}

interface FieldsProps {
  draft: KeyDraft;
  onChange(draft: KeyDraft): void;
  /** Errors of the service, by the name of the parameter of the key. */
  errorOf(field: string): string | undefined;
  /** Whether the key may be on any curve. */
  anyCurve?: boolean;
}

const options = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Fields of an API key: a pair of this browser, or the public half of one that a program has. */
export function ApiKeyFields({ draft, onChange, errorOf, anyCurve = false }: FieldsProps) {
  const set = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label={texts.keyName}
        hint={texts.keyNameHint}
        value={draft.name}
        onChange={(name) => set({ name })}
        error={errorOf('apiKeyName')}
      />
      <SelectField
        label={texts.source}
        value={draft.source}
        onChange={(source) => set({ source: source as KeyDraft['source'], curve: 'API_KEY_CURVE_P256' })}
        options={options(texts.sources)}
      />
      {draft.source === 'pasted' && (
        <TextField
          label={texts.publicKey}
          hint={texts.publicKeyHint}
          mono
          value={draft.pasted}
          onChange={(pasted) => set({ pasted })}
          error={errorOf('publicKey')}
        />
      )}
      {draft.source === 'pasted' && anyCurve && (
        <SelectField
          label={texts.curve}
          value={draft.curve}
          onChange={(curve) => set({ curve: curve as Curve })}
          options={options(texts.curves)}
        />
      )}
      <SelectField
        label={texts.expires}
        value={draft.seconds}
        onChange={(seconds) => set({ seconds })}
        options={options(texts.lifetimes)}
        error={errorOf('expirationSeconds')}
      />
    </>
  );
}

/**
 * Shows the credentials of a pair of this browser once, as the file that the command line and the client read. Only the person closes it, by
 * saying that they saved it: nobody else has the private key.
 */
export function KeyFile({ title, draft, onClose }: { title: string; draft: KeyDraft; onClose(): void }) {
  const { organizationId } = useSession();
  const [wasKept, setKept] = useState(false);
  const { apiPublicKey, apiPrivateKey } = draft.pair;
  const text = JSON.stringify({ organizationId, apiPublicKey, apiPrivateKey, baseUrl: apiBase() }, null, 2);
  return (
    <Dialog open onOpenChange={(open) => !open && setKept(true)} title={title}>
      <Notice tone="wait" title={texts.fileTitle}>
        <p className="mt-1">{texts.fileText}</p>
        <div className="mt-3 flex items-start gap-2">
          <pre className="min-w-0 flex-1 font-mono text-xs break-all whitespace-pre-wrap">{text}</pre>
          <CopyButton text={text} what={texts.apiKeyFile} />
        </div>
      </Notice>
      {wasKept && (
        <p role="alert" className="mt-3 text-bad">
          {texts.fileKept}
        </p>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{texts.fileSaved}</Button>
        <Button look="solid" onClick={() => saveFile('api-key.json', 'application/json', text)}>
          {texts.save}
        </Button>
      </div>
    </Dialog>
  );
}
