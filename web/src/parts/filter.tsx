import { useEffect, useRef, useState } from 'react';
import { onKey } from '../shell/keys.ts';

/** A filter: one of a few values, or any. The choice is kept in the address. */
export function Filter(parts: {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  any?: string;
  onChoose(value: string | undefined): void;
}) {
  return (
    <label className="flex items-center gap-2 text-sm text-dim">
      {parts.label}
      <select
        className="field w-auto"
        value={parts.value ?? ''}
        onChange={(event) => parts.onChoose(event.target.value || undefined)}
      >
        <option value="">{parts.any ?? 'any'}</option>
        {parts.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A search text for the server. The key `/` focuses it, Escape leaves it. The request is sent when typing pauses. */
export function WordFilter(parts: {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
}) {
  const { value = '' } = parts;
  const [text, setText] = useState(value);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => onKey('/', () => box.current?.focus()), []);
  // Going back in the history restores the text.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the typed text triggers it
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => parts.onChange(text.trim() || undefined), stillMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      ref={box}
      type="search"
      onKeyDown={(event) => event.key === 'Escape' && box.current?.blur()}
      aria-label={parts.label}
      placeholder={parts.placeholder ?? parts.label}
      maxLength={200}
      className="field w-64 max-w-full"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
const stillMs = 300;
