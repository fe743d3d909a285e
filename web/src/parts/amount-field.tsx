import { Field } from './field.tsx';

/** An amount of money that a person types, such as 25.00. `wrong` says whether it is out of bounds. */
export function AmountField(parts: {
  currency: string;
  hint: string | undefined;
  wrong: boolean;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <Field label={`Amount (${parts.currency})`} hint={parts.hint}>
      {(id) => (
        <input
          id={id}
          required
          inputMode="decimal"
          autoComplete="off"
          className="field"
          placeholder="25.00"
          aria-invalid={parts.wrong}
          value={parts.value}
          onChange={(event) => parts.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
