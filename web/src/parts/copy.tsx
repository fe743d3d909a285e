import { useState } from 'react';
import { letGo } from '../client/let-go.ts';
import { Icon } from './icon.tsx';

/** Text to copy: shown whole, copied with one click. */
export function Copy({ text, label = 'it' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      title={text}
      onClick={() => {
        letGo(
          navigator.clipboard.writeText(text).then(() => {
            setDone(true);
            setTimeout(() => setDone(false), 1_500);
          }),
        );
      }}
      className="inline-flex max-w-full items-center justify-self-start gap-2 rounded-md bg-sunk px-2 py-1 font-mono text-[13px] text-ink hover:brightness-95"
    >
      <bdi className="truncate">{text}</bdi>
      <Icon name={done ? 'check' : 'copy'} size={14} />
      <span className="sr-only">{done ? 'Copied' : `Copy ${label}`}</span>
    </button>
  );
}

/** Copies what stands beside it. */
export function CopyMark({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      title={`Copy ${text}`}
      className="grid size-7 shrink-0 place-items-center rounded-md hover:brightness-95"
      onClick={() => {
        letGo(
          navigator.clipboard.writeText(text).then(() => {
            setDone(true);
            setTimeout(() => setDone(false), 1_500);
          }),
        );
      }}
    >
      <Icon name={done ? 'check' : 'copy'} size={14} />
      <span className="sr-only">{done ? 'Copied' : `Copy ${label}`}</span>
    </button>
  );
}

const block = 'max-h-80 overflow-auto rounded-lg bg-sunk p-3 font-mono text-[13px] leading-relaxed';
/** Several lines, as they are. */
export function CodeBlock({ text, wrap = false }: { text: string; wrap?: boolean }) {
  return (
    <div className="grid gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className={`${block} ${wrap ? 'break-all whitespace-pre-wrap' : ''}`}>
        {text}
      </pre>
      <CopyAll text={text} />
    </div>
  );
}
function CopyAll({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="inline-flex items-center gap-2 justify-self-start rounded-lg border border-line/60 px-3 py-1.5 hover:bg-sunk"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      <Icon name={done ? 'check' : 'copy'} size={16} />
      {done ? 'Copied' : 'Copy'}
    </button>
  );
}
