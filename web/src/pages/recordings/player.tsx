import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { openReplay, type Replay } from './replay.ts';
import { type Cast, findLines, transcriptOf } from './transcript.ts';

const speeds = [1, 2, 4, 16] as const;
const mostFound = 100;

const spellTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** Plays a recording, with its markers and a search in what was printed. */
export function Player({ cast }: { cast: Cast }) {
  const box = useRef<HTMLDivElement>(null);
  const [replay, setReplay] = useState<Replay>();
  const [, setTick] = useState(0);
  useEffect(() => {
    const opened = openReplay(cast, () => setTick((tick) => tick + 1));
    if (box.current) opened.show(box.current);
    setReplay(opened);
    return () => opened.close();
  }, [cast]);
  const at = replay?.at ?? 0;
  return (
    <div className="grid gap-4">
      <div
        className="panel overflow-auto bg-[#0e1115] p-2"
        ref={box}
        data-replay={replay?.isPlaying ? 'plays' : 'waits'}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" onClick={() => (replay?.isPlaying ? replay.pause() : replay?.play())}>
          {replay?.isPlaying ? 'Pause' : 'Play'}
        </Button>
        <input
          type="range"
          aria-label="Position"
          className="min-w-40 grow"
          min={0}
          max={Math.max(1, Math.ceil(cast.seconds * 10))}
          value={Math.round(at * 10)}
          onChange={(event) => replay?.seek(Number(event.target.value) / 10)}
        />
        <span className="font-mono text-sm text-dim">
          {spellTime(at)} / {spellTime(cast.seconds)}
        </span>
        <label className="flex items-center gap-2">
          Speed
          <select className="field" onChange={(event) => replay?.setSpeed(Number(event.target.value))}>
            {speeds.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <Places cast={cast} go={(seconds) => replay?.seek(seconds)} />
    </div>
  );
}

function Places({ cast, go }: { cast: Cast; go(seconds: number): void }) {
  const [words, setWords] = useState('');
  const lines = useMemo(() => transcriptOf(cast), [cast]);
  const markers = cast.events.filter(({ kind }) => kind === 'm');
  const found = findLines(lines, words, mostFound);
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <section className="grid content-start gap-2" aria-label="Search">
        <input
          className="field"
          type="search"
          aria-label="Search in what was printed"
          placeholder="Search in what was printed"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {words.trim() !== '' && found.length === 0 && <p className="text-dim">Nothing was printed like that.</p>}
        <Jumps places={found} go={go} />
      </section>
      <section className="grid content-start gap-2" aria-label="Markers">
        <h2 className="font-medium">Markers</h2>
        {markers.length === 0 && <p className="text-dim">There are none.</p>}
        <Jumps places={markers} go={go} />
      </section>
    </div>
  );
}

function Jumps({
  places,
  go,
}: {
  places: readonly { readonly at: number; readonly text: string }[];
  go(at: number): void;
}) {
  return (
    <ul className="grid max-h-80 gap-1 overflow-auto">
      {places.map(({ at, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew with each search
        <li key={index}>
          <button
            type="button"
            className="flex w-full gap-3 rounded px-2 py-1 text-start hover:bg-sunk"
            onClick={() => go(at)}
          >
            <span className="font-mono text-sm text-dim">{spellTime(at)}</span>
            <bdi className="truncate font-mono text-sm">{text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
