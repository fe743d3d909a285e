/** Says on every page that time does not pass as it does elsewhere. */
export function SpeedBanner({ speed }: { speed: number }) {
  if (speed <= 1) return null;
  return (
    <p className="border-b border-ops/30 bg-sunk px-4 py-2 text-sm sm:px-6">
      Simulated time: GPU time runs {speed.toLocaleString('en')} times as fast. One second is charged as {spanOf(speed)}
      , and durations and runways pass that fast.
    </p>
  );
}

const spanOf = (seconds: number): string => {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? 'one hour' : `${seconds / 3_600} hours`;
  if (seconds % 60 === 0) return seconds === 60 ? 'one minute' : `${seconds / 60} minutes`;
  return `${seconds} seconds`;
};
