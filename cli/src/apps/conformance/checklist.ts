import type { Session } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { formatOf, showOne } from '../../show/output.ts';
import { plain } from '../../show/value.ts';

/** What one line of the list says: it is right, it is wrong, or it cannot be asked here. */
export type Verdict = 'passed' | 'failed' | 'not_asked';
export interface Line {
  readonly check: string;
  readonly verdict: Verdict;
  /** Why it is wrong or could not be asked. */
  readonly reason?: string;
  readonly next?: string;
}
export interface Checklist {
  passed(check: string): void;
  failed(check: string, reason: string, next: string): void;
  notAsked(check: string, reason: string): void;
  /** Prints the sum; answers the exit code. */
  end(): number;
}
const marks: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', not_asked: '–' };

/** Lines are shown as they come, because a launch takes minutes. Programs get one document at the end. */
export function openChecklist(session: Session): Checklist {
  const lines: Line[] = [];
  const isTable = formatOf(session) === 'table';
  const add = (line: Line): void => {
    lines.push(line);
    if (!isTable) return;
    const { stdout } = session.around;
    stdout.write(`  ${marks[line.verdict]} ${plain(line.check)}\n`);
    if (line.reason !== undefined) stdout.write(`      ${plain(line.reason)}\n`);
    if (line.next !== undefined) stdout.write(`      Next: ${plain(line.next)}\n`);
  };
  const count = (verdict: Verdict) => lines.filter((line) => line.verdict === verdict).length;
  return {
    passed: (check) => add({ check, verdict: 'passed' }),
    failed: (check, reason, next) => add({ check, verdict: 'failed', reason, next }),
    notAsked: (check, reason) => add({ check, verdict: 'not_asked', reason }),
    end() {
      const [passed, failed, notAsked] = [count('passed'), count('failed'), count('not_asked')];
      if (isTable) session.say(`${passed} passed, ${failed} failed, ${notAsked} could not be asked.`);
      else showOne(session, { passed, failed, not_asked: notAsked, checks: lines }, []);
      return failed === 0 ? exitCodes.ok : exitCodes.failed;
    },
  };
}
