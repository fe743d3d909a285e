import type { scopeSets } from '../words/scopes.ts';

/** One of a few sets of rights. */
export function ScopeChoice(parts: { sets: typeof scopeSets; value: string; onChoose(name: string): void }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Access</legend>
      {parts.sets.map(({ name, lead }) => (
        <label key={name} className="flex items-start gap-3 rounded-lg border border-edge px-3 py-2">
          <input
            type="radio"
            name="scopes"
            className="mt-1 size-4 accent-accent"
            checked={parts.value === name}
            onChange={() => parts.onChoose(name)}
          />
          <span>
            <span className="font-medium">{name}</span>
            <span className="block text-sm text-dim">{lead}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A lifetime in days, up to the longest that the policy allows. */
export function DaysChoice(parts: { id: string; value: number; longest: number; onChoose(days: number): void }) {
  const offered = [...new Set([7, 30, 90, 365, parts.longest])].filter((days) => days <= parts.longest);
  return (
    <select
      id={parts.id}
      className="field"
      value={parts.value}
      onChange={(event) => parts.onChoose(Number(event.target.value))}
    >
      {offered
        .sort((a, b) => a - b)
        .map((days) => (
          <option key={days} value={days}>
            {days === 1 ? '1 day' : `${days} days`}
          </option>
        ))}
    </select>
  );
}
