import { defineMachine } from '../machine.ts';

/**
 * One GPU and what belongs to it. A slot that was used comes back only through cleaning, and one whose cleaning could
 * not be proven stays blocked until an operator has looked. Neither that one nor one in quarantine can be disabled: `enable`
 * asks for no proof, so disabling would be a way round `clear`, which does.
 */
export const slot = defineMachine({
  name: 'slot',
  initial: 'disabled',
  terminal: [],
  states: {
    disabled: { enable: 'available' },
    available: { reserve: 'reserved', disable: 'disabled', quarantine: 'quarantined' },
    reserved: {
      use: 'in_use',
      free: 'available',
      clean: 'cleaning',
      block: 'cleanup_blocked',
      quarantine: 'quarantined',
    },
    in_use: { clean: 'cleaning', block: 'cleanup_blocked', quarantine: 'quarantined' },
    cleaning: { prove: 'available', block: 'cleanup_blocked', quarantine: 'quarantined' },
    cleanup_blocked: { clean: 'cleaning', clear: 'available', quarantine: 'quarantined' },
    quarantined: { clear: 'available' },
  },
});
