import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { type Chosen, chosenFiles, droppedFiles } from '../../client/files/dropped.ts';
import { letGo } from '../../client/let-go.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';

/** Takes files that are dropped or chosen. Where the person may not write, only what lies inside is shown. */
export function DropArea(parts: {
  enabled: boolean;
  folder: string;
  onFiles(files: readonly Chosen[]): void;
  children: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  if (!parts.enabled) return <div>{parts.children}</div>;
  const onDrag = (event: DragEvent, over: boolean) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(over);
  };
  return (
    <section
      aria-label={`Files in ${parts.folder}`}
      className={`grid gap-4 rounded-xl ${isOver ? 'outline-2 outline-offset-4 outline-accent outline-dashed' : ''}`}
      onDragEnter={(event) => onDrag(event, true)}
      // Elements inside are entered and left as well.
      onDragLeave={(event) => onDrag(event, event.currentTarget.contains(event.relatedTarget as Node | null))}
      onDragOver={(event) => onDrag(event, true)}
      onDrop={(event) => {
        onDrag(event, false);
        letGo(droppedFiles(event.dataTransfer).then((files) => parts.onFiles(files)));
      }}
    >
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-dashed border-line/70 px-4 py-3">
        <p className="flex items-center gap-2 text-dim">
          <Icon name="upload" />
          {isOver
            ? 'Drop to upload into this folder.'
            : 'Drop files or folders here. A file of the same name goes to the trash.'}
        </p>
        <Button look="primary" icon="upload" onClick={() => input.current?.click()}>
          Upload files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            parts.onFiles(chosenFiles(event.target.files));
            // The same file may be chosen again.
            event.target.value = '';
          }}
        />
      </div>
      {parts.children}
    </section>
  );
}
