import { Link, type LinkProps } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';
const shape =
  'inline-flex items-center justify-center gap-2 min-h-9 px-3.5 rounded-lg font-medium whitespace-nowrap select-none transition-colors disabled:opacity-55';
const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  plain: 'border border-line/60 bg-paper text-ink hover:bg-sunk',
  quiet: 'text-ink hover:bg-sunk',
  danger: 'border border-bad/60 bg-paper text-bad hover:bg-bad-soft',
};

interface Face {
  readonly look?: Look;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Button({
  look = 'plain',
  icon,
  busy = false,
  children,
  className = '',
  ...rest
}: Face & { busy?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={rest.disabled || busy}
      className={`${shape} ${looks[look]} ${className}`}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

export function ButtonLink({ look = 'plain', icon, children, ...rest }: Face & LinkProps) {
  return (
    <Link {...rest} className={`${shape} ${looks[look]}`}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </Link>
  );
}

export function IconButton({
  icon,
  label,
  children,
  ...rest
}: { icon: IconName; label: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`relative inline-grid size-9 shrink-0 place-items-center rounded-lg text-dim transition-colors hover:bg-sunk hover:text-ink ${rest.className ?? ''}`}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="inline-block size-4 animate-[turn_0.8s_linear_infinite] rounded-full border-2 border-current border-e-transparent"
  />
);
