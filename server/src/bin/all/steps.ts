/** What a person sees while everything starts: one line per step, with its time, then where to go. */
export interface Steps {
  step<T>(name: string, work: () => Promise<T>, says: (result: T) => string): Promise<T>;
  line(text?: string): void;
}

const nameWidth = 22;

export function makeSteps(out: { write(text: string): unknown; isTTY?: boolean }, colour: boolean): Steps {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    async step(name, work, says) {
      const began = performance.now();
      const label = name.padEnd(nameWidth);
      if (out.isTTY) out.write(`  ${paint(90, '·')} ${label}`);
      const back = out.isTTY ? '\r' : '';
      try {
        const result = await work();
        const took = paint(90, duration(performance.now() - began).padStart(7));
        out.write(`${back}  ${paint(32, '✓')} ${label}${took}  ${says(result)}\n`);
        return result;
      } catch (error) {
        out.write(`${back}  ${paint(31, '✗')} ${label}\n`);
        throw error;
      }
    },
    line: (text = '') => out.write(`${text}\n`),
  };
}

export const duration = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
