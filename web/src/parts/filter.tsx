import { useEffect, useRef, useState } from 'react';
import { onKey } from '../shell/keys.ts';

/** One of a few, or any of them. What is chosen belongs into the address. */
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

/** Words that the server looks for. The key `/` leads here, and Escape away. It is asked once somebody stops typing, not with every letter. */
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
  // Whoever goes back sees the words of where they are.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed decides, not who is told
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
