import { Choice, TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/page.tsx';
import { faultOfAmount } from '../../words/money.ts';
import { stockOf } from '../../words/wish.ts';
import { CountChoice } from './choices.tsx';
import { type Chosen, mostMachines } from './wish.ts';

const hours: readonly (readonly [string, string])[] = [
  ['', 'Until released'],
  ['1', '1 hour'],
  ['3', '3 hours'],
  ['8', '8 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
];
const idleTimes: readonly (readonly [string, string])[] = [
  ['', 'Do nothing when idle'],
  ...[15, 30, 60, 240].map((minutes) => [String(minutes), `Release after ${minutes} idle minutes`] as const),
];
const machineChoices = Array.from(
  { length: mostMachines },
  (_, index) => [String(index + 1), index === 0 ? '1' : `${index + 1}, as a group: all of them or none`] as const,
);

/** Size and place of the machine. */
export function LaunchShape({ chosen }: { chosen: Chosen }) {
  const { item, images } = chosen;
  if (!item) return null;
  const defaultImage = images.find(({ slug }) => slug === item.default_image);
  return (
    <Panel title="Shape">
      <div className="grid gap-5 sm:grid-cols-2">
        <CountChoice
          item={item}
          region={chosen.region}
          value={chosen.gpus}
          onChoose={(count) => chosen.choose({ gpus: count })}
        />
        <Choice
          label="Machines"
          value={String(chosen.machines)}
          options={machineChoices}
          onChoose={(value) => chosen.choose({ machines: Number(value) })}
        />
        <Choice
          label="Region"
          value={chosen.region ?? ''}
          options={chosen.regions.map((each) => [each, `${each}: ${stockOf(item, each, chosen.gpus)} available`])}
          onChoose={(value) => chosen.choose({ region: value })}
        />
        {images.length > 0 && (
          <Choice
            label="Image"
            value={chosen.image ?? ''}
            options={[
              ['', defaultImage ? `Default (${defaultImage.display_name})` : 'Default'],
              ...images.map((each) => [each.slug, each.display_name] as const),
            ]}
            onChoose={chosen.setImage}
          />
        )}
      </div>
    </Panel>
  );
}

/** When it ends by itself. The host keeps the limits of time and money, too. */
export function LaunchLimits({ chosen }: { chosen: Chosen }) {
  const { currency = 'USD' } = chosen;
  const each = chosen.machines > 1 ? ', for each machine' : '';
  return (
    <Panel title="Limits">
      <div className="grid gap-5 sm:grid-cols-2">
        <Choice label="Ends after" value={chosen.hour} options={hours} onChoose={chosen.setHour} />
        <TextField
          label={`Spend at most (${currency})`}
          hint={
            chosen.isCapRight
              ? `Released before it costs more${each}. Leave it empty for no limit.`
              : (faultOfAmount(chosen.spend, currency) ?? 'Enter an amount above 0, or leave it empty.')
          }
          wrong={!chosen.isCapRight}
          decimal
          maxLength={16}
          value={chosen.spend}
          onChange={chosen.setSpend}
        />
        <Choice label="When its GPUs are idle" value={chosen.idle} options={idleTimes} onChoose={chosen.setIdle} />
      </div>
    </Panel>
  );
}
