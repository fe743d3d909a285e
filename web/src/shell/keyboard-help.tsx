import { may, useSession } from '../client/session.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { menuOf } from './places.ts';

const everywhere: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Search or jump to a page'],
  ['c', 'This screen as code'],
  ['/', 'Filter the list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Shift T', 'Theme'],
  ['Shift D', 'Density'],
  ['?', 'Show these keys'],
  ['Esc', 'Close dialog or menu'],
];

export function KeyboardHelp({ onClose }: { onClose(): void }) {
  const session = useSession();
  const menu = menuOf(session);
  const groups = [...menu.project, ...menu.operator];
  const going = groups.flatMap(({ places }) =>
    places.flatMap(({ key, label }) => (key ? [[`g ${key}`, label] as const] : [])),
  );
  return (
    <Dialog open onClose={onClose} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2">
        {[...everywhere, ...(may(session, 'allocation_create') ? [['n', 'Launch'] as const] : []), ...going].map(
          ([keys, does]) => (
            <div key={keys} className="contents">
              <dt className="flex gap-1">
                {keys.split(' ').map((key) => (
                  <kbd key={key} className="rounded-md border border-edge bg-sunk px-2 py-0.5 font-mono text-sm">
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  );
}
