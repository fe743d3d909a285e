import { GpuaasError, type PolicyDefinition, type PolicySetting } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { shortId } from '../words/sizes.ts';
import { spellSetting } from '../words/time.ts';

export interface Policy {
  readonly definition: PolicyDefinition;
  /** The setting for the whole platform; undefined where the default applies. */
  readonly global: PolicySetting | undefined;
  /** Settings of organizations, projects and people. */
  readonly own: readonly PolicySetting[];
}
type Level = PolicySetting['level'];
const levels: readonly (readonly [Level, string, string])[] = [
  ['global', 'the whole platform', ''],
  ['plan', 'a plan', 'Name of the plan'],
  ['organization', 'an organization', 'Id of the organization'],
  ['project', 'a project', 'Id of the project'],
  ['user', 'a person', 'Id of the person'],
];
interface Wish {
  readonly level: Level;
  readonly subject: string;
  readonly value: string;
  readonly hard: boolean;
  readonly reason: string;
}

/** Where a value comes from, level by level, and a form to set another one. */
export function PolicyDialog({ policy, onClose }: { policy: Policy; onClose(): void }) {
  const { definition } = policy;
  const [wish, setWish] = useState<Wish>({
    level: 'global',
    subject: '',
    value: String(policy.global?.value ?? definition.default),
    hard: policy.global?.hard ?? false,
    reason: '',
  });
  // The settings that this person has seen: another operator's change is refused, and shown, instead of overwritten.
  const [seen, setSeen] = useState<readonly PolicySetting[]>(() => [
    ...(policy.global ? [policy.global] : []),
    ...policy.own,
  ]);
  const change = (next: Partial<Wish>) => setWish((known) => ({ ...known, ...next }));
  const set = useAct(
    'policy set',
    ({ level, subject, value, hard, reason, expected }: Wish & { expected: PolicySetting['value'] | null }, options) =>
      api.adminPolicies
        .set(
          {
            policy_key: definition.key,
            level,
            ...(level !== 'global' && { subject_id: subject.trim() }),
            ...(level === 'global' && hard && { hard }),
            reason: reason.trim(),
            value: valueOfText(definition, value),
            expected_value: expected,
          },
          options,
        )
        .catch((error: unknown) => {
          setSeen((known) => afterConflict(known, placeOf({ level, subject }), error));
          throw error;
        }),
    {
      stale: ['policies', 'tenants'],
      done: (setting) => {
        setSeen((known) => withSetting(known, setting, setting));
        change({ reason: '' });
      },
    },
  );
  const unset = useAct(
    'policy unset',
    ({ setting, reason }: { setting: PolicySetting; reason: string }, options) =>
      api.adminPolicies.unset(
        {
          policy_key: definition.key,
          level: setting.level,
          ...(setting.subject_id !== null && { subject_id: setting.subject_id }),
          reason,
        },
        options,
      ),
    {
      stale: ['policies', 'tenants'],
      done: (setting) => {
        setSeen((known) => withSetting(known, setting, undefined));
        change({ reason: '' });
      },
    },
  );
  const send = () => set.mutate({ ...wish, expected: seen.find(isAt(placeOf(wish)))?.value ?? null });
  return (
    <Dialog open onClose={onClose} wide title={definition.key} lead={definition.description}>
      <div className="grid gap-5">
        <Settings
          definition={definition}
          seen={seen}
          mayRemove={wish.reason.trim().length >= 3}
          busy={unset.isPending}
          onRemove={(setting) => unset.mutate({ setting, reason: wish.reason.trim() })}
        />
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <WishFields definition={definition} wish={wish} change={change} />
          {set.error && <Problem error={set.error} goOn={send} />}
          {unset.error && <Problem error={unset.error} goOn={() => unset.variables && unset.mutate(unset.variables)} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Close</Button>
            <Button type="submit" look="primary" busy={set.isPending}>
              Set
            </Button>
          </div>
        </form>
      </div>
    </Dialog>
  );
}

function Settings({
  definition,
  seen,
  mayRemove,
  busy,
  onRemove,
}: {
  definition: PolicyDefinition;
  seen: readonly PolicySetting[];
  mayRemove: boolean;
  busy: boolean;
  onRemove(setting: PolicySetting): void;
}) {
  return (
    <section aria-label="Where values come from">
      <h3 className="mb-1 font-semibold">Where values come from</h3>
      <ul>
        {seen.map((setting) => (
          <li key={setting.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-edge py-2">
            <Chip tone={setting.hard ? 'bad' : 'busy'}>
              {setting.hard ? 'platform, hard' : levelWord(setting.level)}
            </Chip>
            <Subject setting={setting} />
            <span className="tabular font-medium">{spellSetting(setting.value, definition.unit)}</span>
            <span className="min-w-0 grow text-sm text-dim">
              {setting.reason}, <Ago at={setting.updated_at} />
            </span>
            <Button
              look="danger"
              busy={busy}
              disabled={!mayRemove}
              aria-label={`Remove the value for ${levelWord(setting.level)} ${setting.subject_id ?? ''}`}
              onClick={() => onRemove(setting)}
            >
              Remove
            </Button>
          </li>
        ))}
        <li className="flex flex-wrap items-center gap-x-3 py-2">
          <Chip tone="calm">default</Chip>
          <span className="tabular font-medium">{spellSetting(definition.default, definition.unit)}</span>
          <span className="text-sm text-dim">applies where nothing is set</span>
        </li>
      </ul>
    </section>
  );
}

function WishFields({
  definition,
  wish,
  change,
}: {
  definition: PolicyDefinition;
  wish: Wish;
  change(next: Partial<Wish>): void;
}) {
  const subjectLabel = levels.find(([level]) => level === wish.level)?.[2] ?? '';
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label="For">
        {(id) => (
          <select
            id={id}
            className="field"
            value={wish.level}
            onChange={(event) => change({ level: event.target.value as Level })}
          >
            {levels
              .filter(([level]) => definition.levels?.includes(level) ?? true)
              .map(([level, label]) => (
                <option key={level} value={level}>
                  {label}
                </option>
              ))}
          </select>
        )}
      </Field>
      {wish.level === 'global' ? (
        <label className="flex items-center gap-2 self-end pb-2">
          <input
            type="checkbox"
            className="size-4"
            checked={wish.hard}
            onChange={(event) => change({ hard: event.target.checked })}
          />
          Override lower levels
        </label>
      ) : (
        <Field label={subjectLabel}>
          {(id) => (
            <input
              id={id}
              required
              maxLength={64}
              className="field font-mono"
              value={wish.subject}
              onChange={(event) => change({ subject: event.target.value })}
            />
          )}
        </Field>
      )}
      <ValueField definition={definition} value={wish.value} onChange={(value) => change({ value })} />
      <Field label="Reason" hint="At least 3 characters. Kept in the audit log.">
        {(id) => (
          <input
            id={id}
            required
            minLength={3}
            maxLength={500}
            className="field"
            value={wish.reason}
            onChange={(event) => change({ reason: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

function ValueField({
  definition,
  value,
  onChange,
}: {
  definition: PolicyDefinition;
  value: string;
  onChange(value: string): void;
}) {
  const choices = definition.type === 'boolean' ? ['true', 'false'] : definition.choices;
  return (
    <Field
      label="Value"
      hint={
        definition.type === 'integer'
          ? `From ${definition.minimum ?? 'any'} to ${definition.maximum ?? 'any'} ${definition.unit ?? ''}`
          : undefined
      }
    >
      {(id) =>
        choices ? (
          <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            type="number"
            required
            min={definition.minimum}
            max={definition.maximum}
            className="field"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

type Place = Pick<PolicySetting, 'level' | 'subject_id'>;
const placeOf = ({ level, subject }: Pick<Wish, 'level' | 'subject'>): Place => ({
  level,
  subject_id: level === 'global' ? null : subject.trim(),
});
const isAt =
  ({ level, subject_id }: Place) =>
  (setting: Place): boolean =>
    setting.level === level && setting.subject_id === subject_id;
const withSetting = (
  known: readonly PolicySetting[],
  place: Place,
  setting: PolicySetting | undefined,
): readonly PolicySetting[] => [...known.filter((each) => !isAt(place)(each)), ...(setting ? [setting] : [])];
/** A refusal brings the value that stands now, so that the next decision is an informed one. */
function afterConflict(known: readonly PolicySetting[], place: Place, error: unknown): readonly PolicySetting[] {
  if (!(error instanceof GpuaasError) || error.code !== 'version_conflict') return known;
  const { setting } = (error.details ?? {}) as { setting?: PolicySetting | null };
  return withSetting(known, place, setting ?? undefined);
}
const levelWord = (level: Level): string => (level === 'global' ? 'platform' : level);

function Subject({ setting }: { setting: PolicySetting }) {
  if (setting.subject_id === null) return null;
  if (setting.level !== 'organization')
    return <span className="font-mono text-xs text-dim">{shortId(setting.subject_id)}</span>;
  return (
    <Link
      to="/ops/tenants/$id"
      params={{ id: setting.subject_id }}
      className="font-mono text-xs text-accent underline-offset-2 hover:underline"
    >
      {shortId(setting.subject_id)}
    </Link>
  );
}

function valueOfText({ type }: PolicyDefinition, text: string): number | boolean | string {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
