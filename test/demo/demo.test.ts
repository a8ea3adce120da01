/** The demo as a person starts it: what it prints, how it ends, and that it leaves nothing behind. */

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { until } from '../integration/reloader-process.ts';
import { counterparts, refreshed, settled, shownIn } from './shown.ts';

const README = path.resolve(import.meta.dirname, '../../README.md');
const MAIN = path.resolve(import.meta.dirname, 'main.ts');
const PATIENCE_MS = 90_000;

class Demo {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(...argv: readonly string[]) {
    this.child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => resolve(code));
    });
    after(() => this.child.kill('SIGKILL'));
  }

  /** Resolves to the first match of `words` in what it has printed. */
  async says(words: RegExp): Promise<string> {
    await until(`the demo prints ${words}`, () => words.test(this.stdout), PATIENCE_MS);
    return words.exec(this.stdout)?.[1] ?? '';
  }

  /** Ends it as Ctrl-C does, and answers its exit code. */
  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return await this.ended;
  }
}

describe('the demo', { concurrency: true }, () => {
  test('prints what README shows, says what it waits for, and exits 0', async () => {
    const demo = new Demo();
    assert.equal(await demo.ended, 0, demo.stdout + demo.stderr);
    assert.equal(demo.stderr, '');
    // A value of the state is one line, with the digest under its key.
    const isOfState = (line: string): boolean => /^ {4}v1\./.test(line);
    const wide = demo.stdout.split('\n').filter((line) => line.length > 100 && !isOfState(line));
    assert.deepEqual(wide, []);
    assert.ok(!demo.stdout.includes('\u001b'), 'no colour where there is no terminal');
    // A refusal lasts five seconds at least.
    assert.match(demo.stdout, /^ {2}… waiting until the pods of StatefulSet\/cache run the present content/m);
    if (process.env['UPDATE_README'] !== undefined)
      writeFileSync(README, refreshed(readFileSync(README, 'utf8'), demo.stdout));
    const shown = shownIn(readFileSync(README, 'utf8'));
    assert.ok(shown.length > 2, 'README shows several paragraphs');
    assert.deepEqual(
      counterparts(shown, demo.stdout).map((each) => each && settled(each)),
      shown.map(settled),
      'README shows something else; UPDATE_README=1 and this test brings it up to date',
    );
  });

  test('exits 1 when a claim fails; with --keep it serves until Ctrl-C and leaves nothing behind', async () => {
    const demo = new Demo('--keep', '--coalesce-period', '0');
    const kubeconfig = await demo.says(/KUBECONFIG=(\S+)/);
    await demo.says(/Ctrl-C ends it/);
    assert.match(demo.stdout, /^ten changes of eight objects in a row .* NO \(claimed: 1 1 1\)$/m);
    assert.match(demo.stdout, /^NOT every claim holds/m);
    const config = await demo.says(/(http:\S+\/configmaps\/web)/);
    const page = await demo.says(/In a browser: (\S+\/)/);
    assert.match(await (await fetch(page)).text(), /^<!doctype html>[\s\S]*Deployment\/web/i);
    const known = demo.stdout.length;
    const response = await fetch(config, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"data":{"GREETING":"hello again"}}',
    });
    assert.equal(response.status, 200);
    await until('its log goes on', () => /Deployment\/web rolled/.test(demo.stdout.slice(known)));
    assert.equal(await demo.interrupt(), 1);
    assert.ok(!existsSync(path.dirname(kubeconfig)));
    await assert.rejects(fetch(page));
    await assert.rejects(fetch(config));
  });

  test('ends at Ctrl-C in the middle of an act, and leaves nothing behind', async () => {
    const demo = new Demo();
    const port = await demo.says(/port=(\d+)/);
    await demo.says(/^2\. /m);
    assert.equal(await demo.interrupt(), 130);
    assert.match(demo.stdout, /Ended before the last act/);
    assert.equal(demo.stderr, '');
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });

  test('explains itself, and refuses what it does not know', async () => {
    const help = new Demo('--help');
    assert.equal(await help.ended, 0);
    for (const flag of ['--keep', '--coalesce-period', '--build', '--help'])
      assert.ok(help.stdout.includes(flag));
    for (const argv of [['--kepe'], ['--coalesce-period', 'soon'], ['now']]) {
      const demo = new Demo(...argv);
      assert.equal(await demo.ended, 64);
      assert.match(demo.stderr, /^demo: .*\n$/);
    }
  });
});
