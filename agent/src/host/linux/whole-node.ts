import { isDeepStrictEqual } from 'node:util';
import type { Proof, ReadinessAttestation, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import { keyLinesOf } from '../key-lines.ts';
import { HostFailure, type Work } from '../port.ts';
import { troubleIn } from '../trouble.ts';
import type { Account, Accounts } from './accounts.ts';
import { type Login, reboot } from './argv.ts';
import type { Attest } from './attestation.ts';
import { type Commands, complaintOf } from './commands.ts';
import { makePhases, rest, stopIfCalledOff, unlessCalledOff } from './phases.ts';
import type { Disposal } from './removal/disposal.ts';
import { findLeftovers, proveClean, removeLeftovers } from './removal/leftovers.ts';
import type { Mounts } from './removal/mounts.ts';
import { endProcesses, type Processes } from './removal/processes.ts';
import { isTenantId } from './removal/tenant-ids.ts';
import type { KeyFile } from './ssh/authorized-keys.ts';
import { endConnections } from './ssh/connections.ts';
import type { Shells } from './ssh/shells.ts';
import { greetSsh, type SshDoor } from './ssh/ssh.ts';
import type { Tenancies, Tenancy } from './tenancies.ts';
import type { Watch } from './watch.ts';

/**
 * A login on all of the host, from the order to the proof that nothing of it is left. Each step looks at what is there
 * before it does anything, so a step that was interrupted is simply taken again; and the door is opened last: the keys
 * are written when everything else has been proven.
 */
export interface WholeNodeParts {
  readonly root: string;
  readonly homes: string;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly keyFile: KeyFile;
  readonly disposal: Disposal;
  readonly mounts: Mounts;
  readonly processes: Processes;
  readonly tenancies: Tenancies;
  readonly shells: Shells;
  readonly watch: Watch;
  readonly attest: Attest;
  readonly door: SshDoor;
  /** Changes with every boot of the machine and with nothing else. */
  readonly bootId: () => Promise<string>;
  /** The slices that are here. A host is rented out whole or in slices, never both at once. */
  readonly slices: () => Promise<readonly { readonly allocationId: string }[]>;
  /** How long programs of a tenant may take to end by themselves. */
  readonly graceMs: number;
  /** How long a host may take until sshd answers, or until it goes down for a restart. */
  readonly patienceMs: number;
}

const betweenLooksMs = 500;
/** Looks in a row that must find nothing of a tenant before the host counts as clean. */
const looksBeforeSale = 2;
const conflict = (message: string) => new HostFailure('lease_conflict', message);
const passed = (detail: string): Proof => ({ passed: true, detail });

export function makeWholeNode(parts: WholeNodeParts) {
  const { accounts, tenancies, clock, watch, bootId } = parts;

  async function provision(params: TaskParams<'allocation.provision_user'>, work: Work): Promise<ReadinessAttestation> {
    const { allocation_id, login } = params;
    const phases = makePhases(work, clock);
    phases.begin('lease');
    let tenancy = await claim(allocation_id, login, work.generation);
    const note = async (more: Partial<Tenancy>) => {
      tenancy = await tenancies.change(allocation_id, (now) => {
        if (!now || now.state === 'ended' || now.generation !== work.generation) {
          throw conflict('The lease ended or moved on while the work was under way.');
        }
        return { ...now, ...more };
      });
    };

    phases.begin('host_check');
    const { look } = await watch.gpus();
    if (look.driverVersion === undefined) throw new HostFailure('driver_unavailable', look.answers.detail);
    const room = await watch.storage();
    if (!room.passed) throw new HostFailure('disk_full', room.detail);
    if (!tenancy.disk_clean?.passed) {
      const disk_clean = await proveClean(parts, login);
      // An account of that name is a conflict, which says more than that its home is in the way.
      const isTaken = (await accounts.list()).some(({ name }) => name === login.username);
      if (!disk_clean.passed && !isTaken) throw new HostFailure('disk_dirty', disk_clean.detail);
      await note({ disk_clean });
    }

    phases.begin('user');
    await refuseForeign(allocation_id, login);
    await note({ has_account: true });
    const account = await accounts.make(allocation_id, login).catch(async (error: unknown) => {
      // A login that failed because the lease ended meanwhile is a conflict, not a fault of the machine.
      await note({});
      throw error;
    });
    await closeUnlessHeld(account, note);
    await parts.keyFile.expectRead(login.username);

    phases.begin('readiness');
    await waitForSsh(work.signal);
    const seen = await unlessCalledOff(work.signal, parts.attest(tenancy));
    const trouble = troubleIn(seen, params.expect);
    if (trouble) throw new HostFailure(trouble.code, trouble.message);
    await parts.keyFile.write(account, keyLinesOf(params));
    const durations_ms = phases.end();
    await closeUnlessHeld(account, () => note({ state: 'running', durations_ms }));
    return { ...seen, durations_ms };
  }

  /** Writes down whose host it is, if it is nobody else's. */
  async function claim(allocationId: string, login: Login, generation: number): Promise<Tenancy> {
    const other = (await tenancies.all()).find(({ allocation_id }) => allocation_id !== allocationId);
    if (other) throw conflict(`The host belongs to allocation ${other.allocation_id}.`);
    const [slice] = await parts.slices();
    if (slice) throw conflict(`A slice of allocation ${slice.allocationId} is on the host.`);
    const stray = (await accounts.list()).find(
      (one) => one.allocationId !== undefined && one.allocationId !== allocationId,
    );
    if (stray) throw conflict(`Allocation ${stray.allocationId} still has the login ${stray.name}.`);
    return tenancies.change(allocationId, (before) => {
      if (before?.state === 'ended') throw conflict('The lease has ended; it can only be released.');
      if (before && before.generation > generation) throw overtaken(before, generation);
      if (before && !isDeepStrictEqual(before.login, login)) {
        throw new HostFailure('user_conflict', `The login of this allocation is ${before.login.username}.`);
      }
      const fresh = { state: 'making', has_account: false, disk_clean: null, restarting_from: null } as const;
      return { ...fresh, durations_ms: {}, ...before, allocation_id: allocationId, login, generation };
    });
  }

  /** Before the number is given to this tenant: its processes must not belong to another user. */
  async function refuseForeign(allocationId: string, login: Login): Promise<void> {
    const all = await accounts.list();
    const foreign = all.find(
      ({ name, uid, allocationId: of }) => (name === login.username || uid === login.uid) && of !== allocationId,
    );
    if (foreign) throw new HostFailure('user_conflict', `${foreign.name} (${foreign.uid}) belongs to another user.`);
    const isOwn = all.some(({ allocationId: of }) => of === allocationId);
    if (!isOwn && (await parts.processes.of(login.uid)).length > 0) {
      throw new HostFailure('user_conflict', `Something runs already as user id ${login.uid}.`);
    }
    const stray = await findStray(login, [login.uid]);
    if (stray) throw new HostFailure('host_not_ready', `${stray} End it, or restart the host.`);
  }

  /** A process under a number that tenants get and that has no account here, in words. */
  async function findStray(login: Login, allowed: readonly number[]): Promise<string | undefined> {
    const known = new Set([...allowed, ...(await accounts.list()).map(({ uid }) => uid)]);
    const stray = (await parts.processes.all()).find(({ uid }) => !known.has(uid) && isTenantId(uid, login.uid));
    return (
      stray &&
      `Process ${stray.pid} runs as user id ${stray.uid}, which has no account here: it may be an earlier tenant’s.`
    );
  }

  /** A lease that ended while its login was made leaves no login behind that is open. */
  async function closeUnlessHeld(account: Account, check: (more: Partial<Tenancy>) => Promise<void>): Promise<void> {
    try {
      await check({});
    } catch (error) {
      if (error instanceof HostFailure && error.code === 'lease_conflict') await shut(account);
      throw error;
    }
  }

  async function shut(account: Account): Promise<void> {
    await accounts.close(account);
    await parts.shells.end(account.allocationId ?? '');
    await endProcesses(parts, account.uid, parts.graceMs);
    await parts.keyFile.remove(account.name);
  }

  const end = (allocationId: string) =>
    tenancies.change(allocationId, (now) => (now ? { ...now, state: 'ended' as const } : undefined));
  const markRestart = (allocationId: string, from: string | null) =>
    tenancies.change(allocationId, (now) => (now ? { ...now, restarting_from: from } : undefined));

  async function waitForSsh(signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < parts.patienceMs; waited += betweenLooksMs) {
      if (await greetSsh(parts.door)) return;
      await rest(clock, betweenLooksMs, signal);
    }
  }

  async function revoke(
    params: TaskParams<'allocation.revoke_user'>,
    work: Work,
  ): Promise<TaskOutput<'allocation.revoke_user'>> {
    const { allocation_id } = params;
    const tenancy = await tenancies.get(allocation_id);
    const account = await accounts.of(allocation_id);
    if (tenancy && tenancy.generation > work.generation) throw overtaken(tenancy, work.generation);
    const login = account
      ? { username: account.name, uid: account.uid, gid: account.gid }
      : (tenancy?.login ?? params.login);
    if (tenancy || account) {
      stopIfCalledOff(work.signal);
      work.phase('shutdown', 0);
      await end(allocation_id);
      if (account) await shut(account);
      await sweep(login, account !== undefined || tenancy?.has_account === true);
      await accounts.remove(allocation_id, login);
      await parts.keyFile.remove(login.username);
      // What slipped in between the last look and the removal has no account any more, and no way back.
      await sweep(login, account !== undefined || tenancy?.has_account === true);
      await expectNothing(login, account !== undefined || tenancy?.has_account === true, work.signal);
      if (await accounts.of(allocation_id)) throw new HostFailure('user_remains', `${login.username} is still there.`);
      await tenancies.remove(allocation_id);
    }
    return {
      user_absent: passed(`No login belongs to allocation ${allocation_id}.`),
      processes_ended: passed(`Nothing runs in the name of allocation ${allocation_id}.`),
    };
  }

  /** Whether the number was this tenant's, and is nobody else's by now. */
  async function isTheirs(login: Login, wasTheirs: boolean): Promise<boolean> {
    const owner = (await accounts.list()).find(({ uid }) => uid === login.uid);
    return wasTheirs && (!owner || owner.name === login.username);
  }
  /** Ends what runs under the number of a tenant, then removes what it left, crontabs and jobs included. */
  async function sweep(login: Login, wasTheirs: boolean): Promise<void> {
    if (!(await isTheirs(login, wasTheirs))) return;
    await endProcesses(parts, login.uid, parts.graceMs);
    await removeLeftovers(parts, login);
  }
  /**
   * The proof. A job may have started a program just before it was removed, so everything is killed once more; and when
   * nothing is left then that could start another, nothing will. It looks again after a rest: what was only out of sight in
   * the first look keeps the host from being sold.
   */
  async function expectNothing(login: Login, wasTheirs: boolean, signal: AbortSignal): Promise<void> {
    if (!(await isTheirs(login, wasTheirs))) return;
    for (let looks = 0; looks < looksBeforeSale; looks += 1) {
      if (looks > 0) await rest(clock, betweenLooksMs, signal);
      await endProcesses(parts, login.uid, 0);
      const [first] = await findLeftovers(parts.root, login);
      if (first !== undefined) throw new HostFailure('user_remains', `${first} of ${login.username} is still there.`);
      const stray = await findStray(login, []);
      if (stray) throw new HostFailure('user_remains', stray);
    }
  }

  /** The tenancy and login of an allocation, as long as both live. */
  async function livingOf(allocationId: string): Promise<{ tenancy: Tenancy; account: Account }> {
    const tenancy = await tenancies.get(allocationId);
    const account = await accounts.of(allocationId);
    if (tenancy?.state !== 'running' || !account?.isOpen) {
      throw new HostFailure('not_found', `Nothing runs for allocation ${allocationId}.`);
    }
    return { tenancy, account };
  }
  async function livingAs(allocationId: string, login: Login) {
    const living = await livingOf(allocationId);
    if (isDeepStrictEqual(living.tenancy.login, login)) return living;
    throw new HostFailure('not_found', `Allocation ${allocationId} has no login ${login.username}.`);
  }

  /** The tenancy and login of an allocation that runs or is stopped. */
  async function keptAs(allocationId: string, login: Login) {
    const [tenancy, account] = [await tenancies.get(allocationId), await accounts.of(allocationId)];
    if ((tenancy?.state === 'running' || tenancy?.state === 'stopped') && account) {
      if (isDeepStrictEqual(tenancy.login, login)) return { tenancy: { ...tenancy, state: tenancy.state }, account };
    }
    throw new HostFailure('not_found', `Allocation ${allocationId} has no login ${login.username}.`);
  }
  /** A lease that ended meanwhile stays ended. */
  const setState = async (allocationId: string, state: 'running' | 'stopped'): Promise<void> => {
    await tenancies.change(allocationId, (now) => {
      if (now?.state === 'running' || now?.state === 'stopped') return { ...now, state };
      throw conflict('The lease ended while the work was under way.');
    });
  };

  return {
    provision,
    revoke,
    livingOf,
    async installKeys(params: TaskParams<'allocation.install_authorized_keys'>, work: Work): Promise<string[]> {
      stopIfCalledOff(work.signal);
      const { account } = await livingAs(params.allocation_id, params.login);
      const before = await parts.keyFile.read(account.name);
      const now = await parts.keyFile.write(account, keyLinesOf(params));
      if (before.some((key) => !now.includes(key))) await endConnections(parts.processes, account.uid);
      return now;
    },
    async attest(params: TaskParams<'allocation.attest'>, work: Work): Promise<ReadinessAttestation> {
      stopIfCalledOff(work.signal);
      const { tenancy } = await livingAs(params.allocation_id, params.login);
      return unlessCalledOff(work.signal, parts.attest(tenancy));
    },

    /**
     * Restarts the machine, and with it the agent. The boot id of the request is stored: an agent that resumes the task
     * afterwards sees another one, and only has to prove that all is well.
     */
    async restart(params: TaskParams<'allocation.restart'>, work: Work): Promise<ReadinessAttestation> {
      const { tenancy } = await livingAs(params.allocation_id, params.login);
      const boot = await bootId();
      if (tenancy.restarting_from === null || tenancy.restarting_from === boot) {
        stopIfCalledOff(work.signal);
        work.phase('reboot', 0);
        await markRestart(params.allocation_id, boot);
        const result = await parts.commands.run(reboot);
        if (result.status !== 0) {
          await markRestart(params.allocation_id, null);
          throw new HostFailure('machine_failed', `The host does not restart: ${complaintOf(result)}.`);
        }
        for (let waited = 0; (await bootId()) === boot; waited += betweenLooksMs) {
          if (waited >= parts.patienceMs) throw new HostFailure('machine_failed', 'The host did not go down.');
          await rest(clock, betweenLooksMs, work.signal);
        }
      }
      work.phase('readiness', 0);
      await waitForSsh(work.signal);
      const seen = await unlessCalledOff(work.signal, parts.attest(tenancy));
      await markRestart(params.allocation_id, null);
      return seen;
    },

    /**
     * Closes the login and ends what runs under its number. The home, and jobs that the tenant planned, stay; an expired account
     * is refused by cron and at as by sshd, so nothing begins by itself until it is opened again.
     */
    async stop(params: TaskParams<'allocation.stop'>, work: Work): Promise<TaskOutput<'allocation.stop'>> {
      stopIfCalledOff(work.signal);
      const id = params.allocation_id;
      await keptAs(id, params.login);
      work.phase('shutdown', 0);
      await setState(id, 'stopped');
      const account = await accounts.of(id);
      if (account) await shut(account);
      return { machine_stopped: passed(`The login of allocation ${id} is closed and nothing runs under its number.`) };
    },
    /** The door is opened last, as in `provision`: the keys are written when everything else has been proven. */
    async start(params: TaskParams<'allocation.start'>, work: Work): Promise<ReadinessAttestation> {
      stopIfCalledOff(work.signal);
      const id = params.allocation_id;
      const kept = await keptAs(id, params.login);
      work.phase('user', 0);
      const account = await accounts.open(kept.account);
      const hold = (state: 'stopped' | 'running') => closeUnlessHeld(account, () => setState(id, state));
      await hold(kept.tenancy.state);
      try {
        work.phase('readiness', 0);
        await waitForSsh(work.signal);
        const seen = await unlessCalledOff(work.signal, parts.attest(kept.tenancy));
        const trouble = troubleIn(seen, params.expect);
        if (trouble) throw new HostFailure(trouble.code, trouble.message);
        await parts.keyFile.write(account, params.authorized_keys);
        await hold('running');
        return seen;
      } catch (error) {
        // What is not proven stays closed; a login that runs already is left to its tenant.
        if (kept.tenancy.state === 'stopped') await shut({ ...account, isOpen: true });
        throw error;
      }
    },

    async endRuntime(allocationId: string): Promise<void> {
      await end(allocationId);
      const account = await accounts.of(allocationId);
      if (account) await shut(account);
    },
    /**
     * Whether the GPUs of the host are at work for an allocation: it has them, and is not stopped. On its way to a stop or back it is
     * at work for as long as its login is open or anything runs under its number.
     */
    async holds(allocationId: string): Promise<boolean> {
      const [tenancy, account] = [await tenancies.get(allocationId), await accounts.of(allocationId)];
      if (tenancy?.state !== 'stopped') return tenancy !== undefined || account !== undefined;
      return account?.isOpen === true || (await parts.processes.of(tenancy.login.uid)).length > 0;
    },
    async runtimes() {
      const [known, all] = await Promise.all([tenancies.all(), accounts.list()]);
      const ids = new Set([
        ...known.map(({ allocation_id }) => allocation_id),
        ...all.flatMap((a) => a.allocationId ?? []),
      ]);
      return [...ids].map((allocationId) => ({
        allocationId,
        shape: 'bare_metal' as const,
        running: all.some((account) => account.allocationId === allocationId && account.isOpen),
      }));
    },
  };
}

const overtaken = (tenancy: Tenancy, generation: number) =>
  conflict(`Generation ${generation} is over; generation ${tenancy.generation} holds the lease.`);
