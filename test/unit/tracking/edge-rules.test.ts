/** What is believed of an edge after each observation: the rows of the model, and what makes an edge owed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { d } from './sketch.ts';
import { settled, World } from './world.ts';

interface Case {
  readonly given: () => World;
  readonly runningDigest: string | undefined;
  readonly needsRollout: boolean;
}

/** A start: the state says `entry` (and a mark), the object is `content`, web carries `stamp`. */
function start(entry: string, content: string, stamp?: string, mark?: string): World {
  const marked = mark === undefined ? '' : `?Deployment/web${mark.replace('?', '=')}`.replace(/=$/, '');
  const world = new World({ 'v1.ConfigMap_cfg': `${entry}${marked}` });
  world.config('cfg', content, { initial: true });
  const stamps = stamp === undefined ? {} : { stamps: { cfg: stamp } };
  world.workload('web', { follows: ['cfg'], ...stamps }, { initial: true });
  return world;
}

/** After a rolled-out start at `a.1`, `act` happens. */
function then(act: (world: World) => void): () => World {
  return () => {
    const world = settled('web', 'api');
    act(world);
    return world;
  };
}

const START: Record<string, Case> = {
  'the committed digest': { given: () => start('a.1', 'a'), runningDigest: 'a', needsRollout: false },
  'the committed digest, owed if the content changed meanwhile': {
    given: () => start('a.1', 'b'),
    runningDigest: '?',
    needsRollout: true,
  },
  'not what a stamp says': { given: () => start('b.2', 'b', 'a.7'), runningDigest: 'b', needsRollout: false },
  'unknown, as recorded': {
    given: () => start('b.2', 'b', undefined, '?'),
    runningDigest: '?',
    needsRollout: true,
  },
};

const LATER: Record<string, Case> = {
  'no entry yet: the observed content is the baseline': {
    given: () => {
      const world = new World();
      world.config('cfg', 'b', { initial: true });
      world.workload('web', { follows: ['cfg'], stamps: { cfg: 'a.7' } }, { initial: true });
      return world;
    },
    runningDigest: 'b',
    needsRollout: false,
  },
  'an object that comes to be: its first content is the baseline': {
    given: () => {
      const world = new World();
      world.workload('web', { follows: ['cfg'] }, { initial: true });
      world.config('cfg', 'b');
      return world;
    },
    runningDigest: 'b',
    needsRollout: false,
  },
  'an object that returns with another content is compared': {
    given: then((world) => {
      world.noConfig('cfg');
      world.config('cfg', 'b');
    }),
    runningDigest: 'a',
    needsRollout: true,
  },
  'an object that returns with the same content is owed nothing': {
    given: then((world) => {
      world.noConfig('cfg');
      world.config('cfg', 'a');
    }),
    runningDigest: 'a',
    needsRollout: false,
  },
  'an absent object is owed nothing': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.noConfig('cfg');
    }),
    runningDigest: 'a',
    needsRollout: false,
  },
  'the edge appears later: what is in force then': {
    given: then((world) => {
      world.noWorkload('web');
      world.config('cfg', 'b');
      world.workload('web', { follows: ['cfg'], stamps: { cfg: 'c.9' } });
    }),
    runningDigest: 'b',
    needsRollout: false,
  },
  'the object changed after the workload that appears: unknown': {
    given: then((world) => {
      world.noWorkload('web');
      world.edit('web', { follows: ['cfg'] });
      world.config('cfg', 'b');
      world.tellWorkload('web');
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'opting in is a new edge, whatever was owed before': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.workload('web', { follows: [] });
      world.workload('web', { follows: ['cfg'] });
    }),
    runningDigest: 'b',
    needsRollout: false,
  },
  'but the next workload of its name may have its pods': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.noWorkload('web');
      world.workload('web', { follows: ['cfg'] });
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'we patched it: the digest patched': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.roll('web');
    }),
    runningDigest: 'b',
    needsRollout: false,
  },
  'the content changes: owed': {
    given: then((world) => void world.config('cfg', 'b')),
    runningDigest: 'a',
    needsRollout: true,
  },
  'the content changes and changes back: nothing is owed': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.config('cfg', 'a');
    }),
    runningDigest: 'a',
    needsRollout: false,
  },
  'the metadata is edited: nothing is owed': {
    given: then((world) => void world.config('cfg', 'a')),
    runningDigest: 'a',
    needsRollout: false,
  },
  'a list may hide that the content changed and changed back while pods started': {
    given: then((world) => {
      world.workload('web', { image: 'v2', isRolledOut: false });
      world.config('cfg', 'a', { relisted: true, since: 0 });
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'the content changes and changes back while the workload is rolling out: unknown': {
    given: then((world) => {
      world.workload('web', { isRolledOut: false });
      world.config('cfg', 'b');
      world.config('cfg', 'a');
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'a patch cleans what was dirty': {
    given: then((world) => {
      world.workload('web', { isRolledOut: false });
      world.config('cfg', 'b');
      world.roll('web');
    }),
    runningDigest: 'b',
    needsRollout: false,
  },
  'what changed while the patch was on its way may have been read too': {
    given: then((world) => {
      world.config('cfg', 'b');
      const plan = world.send('web');
      world.config('cfg', 'c');
      world.config('cfg', 'b');
      world.land(plan);
      world.answer(plan);
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'an owner changes the template while the object is open: unknown': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.workload('web', { image: 'v2' });
      world.config('cfg', 'a');
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'an owner changes the template while nothing is open: nothing is owed': {
    given: then((world) => void world.workload('web', { image: 'v2' })),
    runningDigest: 'a',
    needsRollout: false,
  },
  'another process stamps while nothing is open: nothing is owed': {
    given: then((world) => void world.workload('web', { stamps: { cfg: 'a.2' } })),
    runningDigest: 'a',
    needsRollout: false,
  },
  'another process stamps while the object is open: unknown': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.workload('web', { stamps: { cfg: 'b.2' } });
    }),
    runningDigest: '?',
    needsRollout: true,
  },
  'an older stamp is no news where nothing is open': {
    given: () => {
      const world = start('a.5', 'a');
      world.workload('web', { stamps: { cfg: 'b.3' } });
      return world;
    },
    runningDigest: 'a',
    needsRollout: false,
  },
  'an older stamp proves nothing': {
    given: then((world) => {
      world.config('cfg', 'b');
      world.workload('web', { stamps: { cfg: 'b.1' } });
    }),
    runningDigest: '?',
    needsRollout: true,
  },
};

for (const [sentence, { given, runningDigest, needsRollout }] of Object.entries({
  ...START,
  ...LATER,
})) {
  const prefix = sentence in START ? 'at a start the pods ran ' : '';
  test(`${prefix}${sentence}`, () => {
    const world = given();
    const edge = world.edge('web');
    assert.equal(
      edge.runningDigest,
      runningDigest === undefined || runningDigest === '?' ? runningDigest : d(runningDigest),
    );
    assert.equal(world.needsRollout('web'), needsRollout);
  });
}

test('w1 rolled to the new content, which is reverted: w1 must roll again', () => {
  const world = settled('w1', 'w2');
  world.config('cfg', 'b');
  world.roll('w1');
  world.config('cfg', 'a');
  assert.deepEqual([world.needsRollout('w1'), world.needsRollout('w2')], [true, false]);
  world.write();
  assert.deepEqual([world.restart().needsRollout('w1'), world.restart().needsRollout('w2')], [true, false]);
});

test('rolled, undone by a person, reverted: it must roll', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  world.roll('web');
  world.workload('web', { stamps: {} });
  world.config('cfg', 'a');
  assert.ok(world.needsRollout('web'));
});

test('while one owes for ever, another that is created or opts in is not rolled, also after a restart', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  world.roll('api');
  world.write();
  world.workload('new', { follows: ['cfg'] });
  world.write();
  for (const at of [world, world.restart()]) {
    assert.deepEqual(
      [at.needsRollout('web'), at.needsRollout('api'), at.needsRollout('new')],
      [true, false, false],
    );
  }
});

test('refused and recorded, then patched, then a crash before the commit and a revert: it must roll', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  world.roll('api');
  world.write();
  world.roll('web');
  world.contents.set('cfg', { content: 'a', version: world.now + 1 });
  assert.deepEqual([world.restart().needsRollout('web'), world.restart().needsRollout('api')], [true, true]);
});
