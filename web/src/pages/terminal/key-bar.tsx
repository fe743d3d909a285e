/** Keys that the keyboard of a phone lacks. Shown where the main pointer is a finger. */
const keys: readonly (readonly [string, string, string])[] = [
  ['Esc', '\x1b', 'Escape'],
  ['Tab', '\t', 'Tab'],
  ['^C', '\x03', 'Control C'],
  ['^D', '\x04', 'Control D'],
  ['^Z', '\x1a', 'Control Z'],
  ['↑', '\x1b[A', 'Up'],
  ['↓', '\x1b[B', 'Down'],
  ['←', '\x1b[D', 'Left'],
  ['→', '\x1b[C', 'Right'],
];

export const KeyBar = ({ onType }: { onType(text: string): void }) => (
  <div
    role="toolbar"
    aria-label="Keys"
    className="absolute inset-x-0 bottom-0 hidden gap-1 overflow-x-auto bg-sunk p-1 pointer-coarse:flex"
  >
    {keys.map(([face, text, name]) => (
      <button
        key={name}
        type="button"
        aria-label={name}
        className="min-h-11 min-w-11 rounded bg-paper px-2 font-mono"
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onType(text)}
      >
        {face}
      </button>
    ))}
  </div>
);
