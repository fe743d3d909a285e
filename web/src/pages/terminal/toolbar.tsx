import type { AllocationDetail } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Chip, SimulatedChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { fontSizes } from './screen.ts';
import type { LineState } from './shell-line.ts';
import type { ShellParts } from './shell-view.tsx';
import type { Tab } from './tabs.ts';

/** Tabs, how the connection is, and what one can do with the shell that is shown. */
export function Toolbar({
  it,
  tabs,
  shown,
  fontSize,
  onFontSize,
  onShow,
  onLeave,
  onAdd,
  partsOf,
}: {
  it: AllocationDetail;
  tabs: readonly Tab[];
  shown: Tab | undefined;
  fontSize: number;
  onFontSize(size: number): void;
  onShow(key: number): void;
  onLeave(key: number): void;
  onAdd: (() => void) | undefined;
  partsOf(key: number): ShellParts | undefined;
}) {
  const [isFinding, setFinding] = useState(false);
  const [isEnding, setEnding] = useState(false);
  const parts = shown && partsOf(shown.key);
  const isWriter = shown?.state.phase === 'live' && shown.state.ready?.role === 'writer';
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-edge bg-paper px-2 py-1">
      <Link to="/allocations/$id" params={{ id: it.id }} className="px-1 font-medium text-accent">
        <bdi>{it.name}</bdi>
      </Link>
      <TabList tabs={tabs} shown={shown} onShow={onShow} />
      <IconButton icon="plus" label="New shell" disabled={!onAdd} onClick={() => onAdd?.()} />
      <span className="grow" />
      {shown && <Connection state={shown.state} />}
      <SimulatedChip of={it} />
      {shown?.state.ready?.recording === 'output' && <Chip tone="warn">recorded</Chip>}
      <IconButton icon="search" label="Search" onClick={() => setFinding(!isFinding)} />
      <IconButton
        icon="minus"
        label="Smaller text"
        disabled={fontSize <= fontSizes.least}
        onClick={() => onFontSize(fontSize - 1)}
      />
      <IconButton
        icon="plus"
        label="Larger text"
        disabled={fontSize >= fontSizes.most}
        onClick={() => onFontSize(fontSize + 1)}
      />
      <IconButton
        icon="download"
        label="Download the text"
        disabled={!parts}
        onClick={() => parts && download(it.name, parts.screen.readText())}
      />
      <Button
        look="quiet"
        disabled={!shown}
        title="Close the tab: the shell goes on for a while"
        onClick={() => shown && onLeave(shown.key)}
      >
        Leave
      </Button>
      <Button look="danger" disabled={!isWriter} title="End the shell and its programs" onClick={() => setEnding(true)}>
        End
      </Button>
      {isFinding && parts && <Find parts={parts} onClose={() => setFinding(false)} />}
      <Confirm
        open={isEnding}
        onClose={() => setEnding(false)}
        title="End this shell?"
        verb="End the shell"
        danger
        busy={false}
        error={null}
        onConfirm={() => {
          parts?.line.endShell();
          setEnding(false);
        }}
      >
        <p>The programs that run in it end. To keep them, leave the page instead: the shell goes on for a while.</p>
      </Confirm>
    </div>
  );
}

const TabList = ({
  tabs,
  shown,
  onShow,
}: {
  tabs: readonly Tab[];
  shown: Tab | undefined;
  onShow(key: number): void;
}) => (
  <div role="tablist" aria-label="Shells" className="flex min-w-0 gap-1 overflow-x-auto">
    {tabs.map((tab) => (
      <button
        key={tab.key}
        type="button"
        role="tab"
        aria-selected={tab === shown}
        className={`min-h-8 max-w-44 truncate rounded-md border px-2.5 text-[13px] ${tab === shown ? 'border-line bg-sunk' : 'border-transparent'}`}
        onClick={() => onShow(tab.key)}
      >
        <bdi>{tab.title || tab.name}</bdi>
      </button>
    ))}
  </div>
);

const dots: Readonly<Record<LineState['phase'], string>> = {
  connecting: 'bg-warn',
  live: 'bg-ok',
  reconnecting: 'bg-warn',
  in_use: 'bg-warn',
  refused: 'bg-bad',
  ended: 'bg-line',
};
const phaseWords: Readonly<Record<LineState['phase'], string>> = {
  connecting: 'connecting',
  live: 'connected',
  reconnecting: 'connecting again',
  in_use: 'open elsewhere',
  refused: 'refused',
  ended: 'ended',
};
const Connection = ({ state }: { state: LineState }) => (
  <span className="flex items-center gap-1.5 text-[13px] text-dim">
    <span aria-hidden="true" className={`size-2 rounded-full ${dots[state.phase]}`} />
    {phaseWords[state.phase]}
    {state.phase === 'live' && state.latencyMs !== undefined && (
      <span className="tabular" title="From this browser to the machine and back">
        {state.latencyMs} ms
      </span>
    )}
  </span>
);

function Find({ parts, onClose }: { parts: ShellParts; onClose(): void }) {
  const [isFound, setFound] = useState(true);
  const find = (text: string, direction: 'next' | 'previous') =>
    setFound(text === '' || parts.screen.find(text, direction));
  return (
    <search className="flex w-full items-center gap-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        type="search"
        aria-label="Search in the terminal"
        placeholder="Search in the terminal"
        className="min-h-8 grow rounded border border-line/60 bg-paper px-2"
        onChange={(event) => find(event.target.value, 'next')}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event.currentTarget.value, event.shiftKey ? 'previous' : 'next');
          if (event.key !== 'Escape') return;
          parts.screen.endFind();
          parts.screen.focus();
          onClose();
        }}
      />
      {!isFound && (
        <span role="status" className="text-[13px] text-warn">
          Not found
        </span>
      )}
    </search>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `${name}.txt`;
  link.click();
  URL.revokeObjectURL(link.href);
}
