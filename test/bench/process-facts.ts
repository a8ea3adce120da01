/** What the kernel knows of a process. Linux only, as is everything that can be measured here. */

import { readFileSync } from 'node:fs';

/** Ticks per second of /proc, the same on every Linux. */
const TICKS = 100;

/** The most memory that the process ever had resident, in bytes. */
export function peakBytes(pid: number): number {
  return kilobytes(pid, 'VmHWM') * 1024;
}

/** What it has resident now, in bytes. */
export function residentBytes(pid: number): number {
  return kilobytes(pid, 'VmRSS') * 1024;
}

/** The time that it has computed so far, in user and in kernel mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function kilobytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
}
