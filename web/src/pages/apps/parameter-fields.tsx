import { Choice, Field, TextField } from '../../parts/field.tsx';
import type { AppParameter, NamedParameter, Typed } from '../../words/apps.ts';

const longestText = 4_096;

/** The form that a publisher describes: one field for each parameter. */
export function ParameterFields({
  parameters,
  required,
  typed,
  onType,
}: {
  parameters: readonly NamedParameter[];
  required: readonly string[];
  typed: Typed;
  onType(name: string, value: string | boolean): void;
}) {
  return parameters.map(([name, parameter]) => (
    <ParameterField
      key={name}
      parameter={parameter}
      required={required.includes(name)}
      value={typed[name] ?? ''}
      onType={(value) => onType(name, value)}
    />
  ));
}

function ParameterField({
  parameter,
  required,
  value,
  onType,
}: {
  parameter: AppParameter;
  required: boolean;
  value: string | boolean;
  onType(value: string | boolean): void;
}) {
  const { title, description: hint } = parameter;
  const text = String(value);
  if (parameter.type === 'boolean') {
    return (
      <div className="grid gap-1">
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={value === true} onChange={(event) => onType(event.target.checked)} />
          <bdi className="font-medium">{title}</bdi>
        </label>
        {hint && <p className="text-sm text-dim">{hint}</p>}
      </div>
    );
  }
  if (parameter.type !== 'string') {
    return (
      <Field label={title} hint={hint}>
        {(id) => (
          <input
            id={id}
            className="field"
            type="number"
            step={parameter.type === 'integer' ? 1 : 'any'}
            required={required && parameter.default === undefined}
            min={parameter.minimum}
            max={parameter.maximum}
            value={text}
            onChange={(event) => onType(event.target.value)}
          />
        )}
      </Field>
    );
  }
  if (parameter.enum) {
    const options = parameter.enum.map((each) => [each, each] as const);
    return (
      <Choice
        label={title}
        hint={hint}
        value={text}
        options={parameter.default === undefined ? [['', required ? 'Choose' : 'Not set'], ...options] : options}
        onChoose={onType}
      />
    );
  }
  return (
    <TextField
      label={title}
      hint={hint}
      required={required && parameter.default === undefined}
      minLength={parameter.minLength ?? 0}
      maxLength={parameter.maxLength ?? longestText}
      value={text}
      onChange={onType}
    />
  );
}
