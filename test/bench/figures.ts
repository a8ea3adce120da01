/** What a benchmark finds: figures, each beside its floor, and whether it is what was wanted. */

/** One line of the report. */
export interface Figure {
  /** The scenario that it belongs to. */
  readonly scenario: string;
  readonly what: string;
  readonly unit: string;
  readonly measured: number;
  /** The same of the bare client in the same run; absent where it has no such thing. */
  readonly floor?: number;
  readonly wanted?: Wanted;
}

/** The most that a figure should be: itself, or as a multiple of its floor. */
export type Wanted = { readonly atMost: number } | { readonly timesFloor: number };

/** How many times the floor it is; undefined without a floor that is more than nothing. */
export function ratioOf({ measured, floor }: Figure): number | undefined {
  return floor === undefined || floor === 0 ? undefined : measured / floor;
}

/** Whether it is as wanted; undefined where nothing is. */
export function isReached(figure: Figure): boolean | undefined {
  const { wanted, measured } = figure;
  if (wanted === undefined) return undefined;
  if ('atMost' in wanted) return measured <= wanted.atMost;
  const ratio = ratioOf(figure);
  return ratio !== undefined && ratio <= wanted.timesFloor;
}

/** The value below which `share` of `values` are: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
