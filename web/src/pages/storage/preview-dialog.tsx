import type { StorageObject } from '@gpuaas/sdk';
import { useEffect, useRef } from 'react';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { fetchBytes } from '../../client/files/bytes.ts';
import { previewOf, shownTextBytes, textOf } from '../../client/files/preview.ts';
import { letGo } from '../../client/let-go.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { spellSize } from '../../words/files.ts';

/**
 * A look at a small file. Nothing of a file becomes a part of this page: text is shown as text, whatever it contains, and an
 * image is painted from its pixels, so neither markup nor a script in a file can run here.
 */
export function PreviewDialog({
  row,
  owner,
  onClose,
}: {
  row: StorageObject;
  owner: string | undefined;
  onClose(): void;
}) {
  const kind = previewOf(row);
  const of = owner === undefined ? {} : { owner_project_id: owner };
  const bytes = useAsk(
    ['storage', 'preview', row.id],
    async (options) =>
      fetchBytes(
        await api.storage.downloadGet({ path: row.path, ...of }, options),
        kind?.kind === 'text' ? shownTextBytes : undefined,
      ),
    { freshMs: 60_000 },
  );
  return (
    <Dialog open wide onClose={onClose} title={row.name} lead={spellSize(row.size_bytes)}>
      {bytes.error ? (
        <Problem error={bytes.error} again={() => void bytes.refetch()} />
      ) : !bytes.data ? (
        <Loading rows={6} label="Loading the preview" />
      ) : kind?.kind === 'image' ? (
        <Picture bytes={bytes.data} type={kind.type} name={row.name} />
      ) : (
        <Text bytes={bytes.data} sizeBytes={row.size_bytes} />
      )}
    </Dialog>
  );
}

const block = 'max-h-[55vh] overflow-auto rounded-lg bg-sunk p-3 font-mono text-[13px] leading-relaxed';
function Text({ bytes, sizeBytes }: { bytes: ArrayBuffer; sizeBytes: number }) {
  const text = textOf(bytes);
  if (text === undefined) return <p className="text-dim">This is no text. Download it to open it with a program.</p>;
  return (
    <div className="grid gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className={block}>
        {text}
      </pre>
      {bytes.byteLength < sizeBytes && (
        <p className="text-sm text-dim">The first {spellSize(bytes.byteLength)}. Download it for the rest.</p>
      )}
    </div>
  );
}

function Picture({ bytes, type, name }: { bytes: ArrayBuffer; type: string; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const note = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    let isOpen = true;
    const paint = async () => {
      const image = await createImageBitmap(new Blob([bytes], { type }));
      if (!isOpen || !canvas.current) return image.close();
      canvas.current.width = image.width;
      canvas.current.height = image.height;
      canvas.current.getContext('2d')?.drawImage(image, 0, 0);
      image.close();
    };
    letGo(
      paint().catch(() => {
        if (note.current) note.current.hidden = false;
      }),
    );
    return () => {
      isOpen = false;
    };
  }, [bytes, type]);
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={name}
        className="mx-auto max-h-[60vh] max-w-full rounded-lg bg-sunk"
      />
      <p ref={note} hidden className="mt-2 text-dim">
        The browser cannot read this image. Download it to open it with a program.
      </p>
    </>
  );
}
