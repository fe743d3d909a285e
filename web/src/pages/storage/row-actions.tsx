import { Menu } from '@base-ui/react/menu';
import type { StorageObject } from '@gpuaas/sdk';
import { previewOf } from '../../client/files/preview.ts';
import { IconButton } from '../../parts/button.tsx';
import type { Choice } from './entry-dialogs.tsx';

/** What can be done with a file or a folder; only what this person may do. */
export function RowActions(parts: {
  row: StorageObject;
  mayWrite: boolean;
  mayShare: boolean;
  isFetching: boolean;
  onDownload(): void;
  choose(choice: Choice): void;
}) {
  const { row, mayWrite, mayShare, choose } = parts;
  const more = [
    ...(previewOf(row) ? ([['Preview', { kind: 'preview', row }]] as const) : []),
    ...(mayShare && !row.is_folder ? ([['Share by link', { kind: 'share', row }]] as const) : []),
    ...(mayWrite
      ? ([
          ['Rename or move', { kind: 'move', row }],
          ...(row.is_folder ? [] : ([['Copy', { kind: 'copy', row }]] as const)),
          ['Delete', { kind: 'delete', row }],
        ] as const)
      : []),
  ] as const;
  return (
    <span className="flex justify-end gap-1">
      {!row.is_folder && (
        <IconButton
          icon="download"
          label={`Download ${row.name}`}
          disabled={parts.isFetching}
          onClick={parts.onDownload}
        />
      )}
      {more.length > 0 && (
        <Menu.Root modal={false}>
          <Menu.Trigger render={<IconButton icon="more" label={`More for ${row.name}`} />} />
          <Menu.Portal>
            <Menu.Positioner align="end" sideOffset={4} className="z-40">
              <Menu.Popup className="panel min-w-44 p-1 shadow-lift outline-none">
                {more.map(([label, choice]) => (
                  <Menu.Item
                    key={label}
                    className={`cursor-pointer rounded-md px-3 py-2 outline-none select-none data-[highlighted]:bg-sunk ${label === 'Delete' ? 'text-bad' : ''}`}
                    onClick={() => choose(choice)}
                  >
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </span>
  );
}
