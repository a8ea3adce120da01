/** Releases of Helm on a cluster. */

import { helmOf } from '../control-plane/assets.ts';
import type { HelmVersion } from '../control-plane/recipe.ts';
import { installedBy } from '../install/installation.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { type Account, accountIn } from './account.ts';
import type { RunOptions, Said } from './programs.ts';
import type { Stage } from './stage.ts';

/** Runs Helm in the namespace of a stage, as the administrator; rejects with what it said if it fails. */
export async function helm(
  stage: Stage,
  version: HelmVersion,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Said> {
  const program = helmOf(version);
  if (program === undefined) throw new Error(`Helm ${version} is not built: npm run control-plane`);
  return await stage.run(program, args, options);
}

/** A release in the namespace of a stage. */
export class Release {
  readonly stage: Stage;
  readonly version: HelmVersion;
  readonly name: string;

  constructor(stage: Stage, version: HelmVersion, name: string) {
    this.stage = stage;
    this.version = version;
    this.name = name;
  }

  /** Installs a chart, or brings the release to it, and waits for its pods; answers what Helm prints. */
  async bring(chart: string, values: JsonObject, ...flags: readonly string[]): Promise<string> {
    const args = ['upgrade', '--install', this.name, chart, '--values', '-', '--wait', ...flags];
    return (await helm(this.stage, this.version, args, { input: JSON.stringify(values) })).stdout;
  }

  /** Brings an earlier revision back. */
  async rollBack(revision: number): Promise<void> {
    await helm(this.stage, this.version, ['rollback', this.name, `${revision}`, '--wait']);
  }

  /** The objects of the present revision, without those of tests. */
  async objects(): Promise<readonly JsonObject[]> {
    const { stdout } = await helm(this.stage, this.version, ['get', 'manifest', this.name]);
    return parseManifests(stdout, `release ${this.name}`);
  }

  /** The reloader of the present revision. `env`: what the kubelet tells this pod in place of another one. */
  async account(env: Readonly<Record<string, string>> = {}): Promise<Account> {
    const installed = installedBy(await this.objects());
    return accountIn({ ...installed, env: { ...installed.env, ...env } });
  }

  /** Removes what it has made. */
  async uninstall(): Promise<void> {
    await helm(this.stage, this.version, ['uninstall', this.name, '--wait']);
  }
}
