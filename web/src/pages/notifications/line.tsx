import type { Notification } from '@gpuaas/sdk';
import { useRouter } from '@tanstack/react-router';
import type { Tone } from '../../parts/chip.tsx';
import { Chip, SimulatedChip } from '../../parts/chip.tsx';
import { Ago } from '../../parts/time.tsx';

const tones: Readonly<Record<Notification['tone'], Tone>> = { good: 'ok', notice: 'warn', bad: 'bad' };
const words: Readonly<Record<Notification['tone'], string>> = { good: 'good news', notice: 'note', bad: 'problem' };

/** One notification: what happened, what it means, and the way to it. */
export function NotificationLine(parts: {
  notification: Notification;
  isFresh: boolean;
  /** Whether the explanation is shown below the sentence. */
  whole?: boolean;
  onOpen(): void;
}) {
  const { notification: one } = parts;
  const router = useRouter();
  const sentence = <bdi className="min-w-0">{one.title}</bdi>;
  const { link } = one;
  return (
    <li
      className={`grid grid-cols-[1fr_auto] items-baseline gap-x-4 gap-y-1 rounded-lg px-2 py-2 ${parts.isFresh ? 'bg-accent-soft' : ''}`}
    >
      <span className="flex min-w-0 items-baseline gap-2">
        <Chip tone={tones[one.tone]}>{parts.isFresh ? 'new' : <span className="sr-only">{words[one.tone]}</span>}</Chip>
        {link === null ? (
          sentence
        ) : (
          <a
            href={link}
            className="min-w-0 underline-offset-2 hover:underline"
            onClick={(event) => {
              event.preventDefault();
              parts.onOpen();
              router.history.push(link);
            }}
          >
            {sentence}
          </a>
        )}
        <SimulatedChip of={one} />
      </span>
      <span className="text-sm text-dim">
        <Ago at={one.at} />
      </span>
      {parts.whole && one.text !== '' && <bdi className="col-span-2 min-w-0 text-sm text-dim">{one.text}</bdi>}
    </li>
  );
}
