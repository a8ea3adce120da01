import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distributionOf, svgOf, ticksTo } from '../../bench/chart.ts';
import { type Figure, isReached, quantile, ratioOf } from '../../bench/figures.ts';
import { markdownOf, tableOf } from '../../bench/report.ts';

function figure(parts: Partial<Figure>): Figure {
  return { scenario: 's', what: 'what it is', unit: 'ms', measured: 6, ...parts };
}

describe('a figure', () => {
  const cases: Record<string, { figure: Figure; ratio?: number; reached?: boolean }> = {
    'without a floor and a wish': { figure: figure({}) },
    'beside its floor': { figure: figure({ floor: 4 }), ratio: 1.5 },
    'whose floor is nothing': { figure: figure({ floor: 0, wanted: { atMost: 6 } }), reached: true },
    'above the wish': { figure: figure({ wanted: { atMost: 5 } }), reached: false },
    'as many times the floor as wanted': {
      figure: figure({ floor: 5, wanted: { timesFloor: 1.2 } }),
      ratio: 1.2,
      reached: true,
    },
    'more times the floor': {
      figure: figure({ floor: 4, wanted: { timesFloor: 1.2 } }),
      ratio: 1.5,
      reached: false,
    },
    'that was not measured': {
      figure: figure({ measured: Number.NaN, wanted: { atMost: 5 } }),
      reached: false,
    },
  };
  for (const [what, { figure: given, ratio, reached }] of Object.entries(cases)) {
    test(what, () => assert.deepEqual([ratioOf(given), isReached(given)], [ratio, reached]));
  }
});

test('a quantile is a value that was measured', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([4, 3, 1, 2], 0.95), 4);
  assert.equal(quantile([7], 1), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('the table is aligned, and says what is wanted and whether it is so', () => {
  const figures = [
    figure({ what: 'a', floor: 4, wanted: { timesFloor: 1.2 } }),
    figure({ what: 'much longer', unit: '', measured: 12_345.6, floor: 0, wanted: { atMost: 20_000 } }),
  ];
  assert.deepEqual(tableOf(figures).split('\n'), [
    '             reloader  floor  ratio         wanted',
    'a                6 ms   4 ms   1.50  ≤ 1.2 × floor   no',
    'much longer     12346      0               ≤ 20000  yes',
  ]);
});

test('the same in Markdown', () => {
  assert.equal(
    markdownOf([figure({ measured: 1.23456 })])
      .split('\n')
      .at(-1),
    '| what it is | 1.23 ms |  |  |  |  |',
  );
});

describe('a chart', () => {
  test('has round ticks from 0 to the first beyond what it shows', () => {
    assert.deepEqual(ticksTo(17.2), [0, 5, 10, 15, 20]);
    assert.deepEqual(ticksTo(0.6), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    assert.deepEqual(ticksTo(500), [0, 100, 200, 300, 400, 500]);
    assert.deepEqual(ticksTo(0), [0, 1]);
  });

  test('leaves the largest hundredth of a distribution out', () => {
    const points = distributionOf(Array.from({ length: 200 }, (_, index) => 200 - index));
    assert.deepEqual(
      [points[0], points.at(-1)],
      [
        [1, 0.005],
        [198, 0.99],
      ],
    );
  });

  test('is an SVG of a line for each series, from the lower left on, with everything named', () => {
    const svg = svgOf({
      name: 'n',
      title: 'a < b & c',
      x: 'seconds',
      y: 'MB',
      lines: [
        {
          name: 'one',
          points: [
            [0, 0],
            [10, 5],
          ],
        },
        { name: 'two', points: [[0, 1]] },
      ],
    });
    assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 720 400"/);
    assert.match(svg, /<polyline points="70,344 696,64"/);
    assert.match(svg, /<title>a &lt; b &amp; c<\/title>/);
    for (const words of ['seconds', 'MB', 'one', 'two', '10', '5'])
      assert.ok(svg.includes(`>${words}</text>`), words);
    assert.equal(svg.match(/<polyline/g)?.length, 2);
  });
});
