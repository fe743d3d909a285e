import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { clearDone, giveUp, tryAgain, type Upload, useUploads } from '../../client/files/uploads.ts';
import { letGo } from '../../client/let-go.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { LevelBar } from '../../parts/charts/level-bar.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Panel } from '../../parts/page.tsx';
import { Problem } from '../../parts/states.tsx';
import { spellSize } from '../../words/files.ts';
import { counted } from '../../words/sizes.ts';

/** Files on their way, each with its progress. What is finished appears in the list below. */
export function UploadList() {
  const uploads = useUploads();
  const client = useQueryClient();
  const done = uploads.filter(({ state }) => state === 'done').length;
  const seen = useRef(done);
  useEffect(() => {
    if (done > seen.current) letGo(client.invalidateQueries({ queryKey: ['storage'] }));
    seen.current = done;
  }, [client, done]);
  if (uploads.length === 0) return null;
  return (
    <Panel
      title={done === uploads.length ? `${counted(done, 'file')} uploaded` : `Uploads: ${done} of ${uploads.length}`}
      aside={done > 0 && <Button onClick={clearDone}>Clear finished</Button>}
    >
      <ul className="grid max-h-96 gap-3 overflow-y-auto">
        {uploads.map((upload) => (
          <UploadLine key={upload.key} upload={upload} />
        ))}
      </ul>
    </Panel>
  );
}

function UploadLine({ upload }: { upload: Upload }) {
  const { file, goal, state, sentBytes, error } = upload;
  const percent = state === 'done' || file.size === 0 ? 100 : (sentBytes / file.size) * 100;
  return (
    <li className="grid gap-1.5" aria-label={goal.path}>
      <div className="flex items-center gap-3">
        <bdi className="min-w-0 grow truncate" title={goal.path}>
          {goal.path}
        </bdi>
        <span className="text-sm whitespace-nowrap text-dim tabular">
          {state === 'sending' && `${spellSize(sentBytes)} of `}
          {spellSize(file.size)}
        </span>
        {state === 'done' ? (
          <Chip tone="ok">stored</Chip>
        ) : state === 'waiting' ? (
          <Chip tone="calm">waiting</Chip>
        ) : null}
        {state !== 'done' && (
          <IconButton icon="close" label={`Give up ${file.name}`} className="size-7" onClick={() => giveUp(upload)} />
        )}
      </div>
      {state === 'sending' && <LevelBar label={`Progress of ${file.name}`} percent={percent} tone="ok" />}
      {state === 'failed' && (
        <Problem
          error={error}
          title={`${file.name} is not stored`}
          again={() => tryAgain(upload.key)}
          goOn={() => tryAgain(upload.key)}
        />
      )}
    </li>
  );
}
