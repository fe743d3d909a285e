import { type ReactNode, useId } from 'react';

/** A label, its input, and a hint. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: ReactNode;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children(id)}
      {hint && <p className="text-sm text-dim">{hint}</p>}
    </div>
  );
}

/** One line of text, in either writing direction. */
export function TextField(parts: {
  label: string;
  hint?: ReactNode;
  value: string;
  minLength?: number;
  maxLength: number;
  required?: boolean;
  type?: 'text' | 'email' | 'date';
  /** Whether it is a number, for the keyboard of a phone. */
  decimal?: boolean;
  /** Whether the text cannot be taken; the hint says why. */
  wrong?: boolean;
  onChange(value: string): void;
}) {
  return (
    <Field label={parts.label} hint={parts.hint}>
      {(id) => (
        <input
          id={id}
          dir="auto"
          className="field"
          type={parts.type ?? 'text'}
          required={parts.required}
          {...(parts.decimal && { inputMode: 'decimal' as const, autoComplete: 'off' })}
          {...(parts.wrong !== undefined && { 'aria-invalid': parts.wrong })}
          {...(parts.minLength !== undefined && { minLength: parts.minLength })}
          maxLength={parts.maxLength}
          value={parts.value}
          onChange={(event) => parts.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A choice by value. */
export function Choice(parts: {
  label: string;
  hint?: ReactNode;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose(value: string): void;
}) {
  return (
    <Field label={parts.label} hint={parts.hint}>
      {(id) => (
        <select id={id} className="field" value={parts.value} onChange={(event) => parts.onChoose(event.target.value)}>
          {parts.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
